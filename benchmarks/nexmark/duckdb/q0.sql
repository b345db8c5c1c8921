SELECT rowtime, auction, bidder, price, extra FROM bid
