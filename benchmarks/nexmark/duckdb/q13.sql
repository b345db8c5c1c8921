SELECT rowtime, auction, bidder, price, name FROM bid JOIN side ON auction % 10000 = key
