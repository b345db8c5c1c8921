// What a first visitor sees: totals by the hour, with a row that comes too late.

export const example = {
  profile: "calcite",
  schema: `CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING,
  productId INTEGER,
  units INTEGER);
`,
  query: `SELECT STREAM
  TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime,
  productId,
  COUNT(*) AS c,
  SUM(units) AS units
FROM Orders
GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId
`,
  script: `date: '2015-02-15'
steps:
- feed:
    Orders:
    - ['10:17:00', 30, 4]
    - ['10:17:05', 10, 1]
    - ['10:18:05', 20, 2]
    - ['10:48:00', 10, 20]
- bound: {Orders: '11:00:00'}
- feed:
    Orders:
    - ['10:59:00', 10, 3]
    - ['11:05:00', 10, 7]
- end: true
`,
};
