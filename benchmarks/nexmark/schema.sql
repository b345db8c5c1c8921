-- The streams of Nexmark.  The paper's dateTime is the rowtime; money is in cents.
CREATE STREAM Person (
  rowtime TIMESTAMP(3) ASCENDING, id BIGINT, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR,
  city VARCHAR, state VARCHAR, extra VARCHAR);

CREATE STREAM Auction (
  rowtime TIMESTAMP(3) ASCENDING, id BIGINT, itemName VARCHAR, description VARCHAR,
  initialBid BIGINT, reserve BIGINT, expires TIMESTAMP(3), seller BIGINT, category BIGINT,
  extra VARCHAR);

CREATE STREAM Bid (
  rowtime TIMESTAMP(3) ASCENDING, auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR,
  url VARCHAR, extra VARCHAR);

-- The side input of q13: a name for every key from 0 to 9,999.
CREATE TABLE Side (key BIGINT PRIMARY KEY, name VARCHAR);
