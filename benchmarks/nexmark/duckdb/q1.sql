SELECT rowtime, auction, bidder, (0.908::DECIMAL(4, 3) * price)::DECIMAL(23, 3), extra FROM bid
