-- An adjustment makes the books say what a wallet holds, where `ledger check` shows that they differ for good. It is an entry
-- of the reserve, and the only one that may take something away.
CREATE TABLE reserve_entries_new (
	network TEXT NOT NULL,
	tx_id TEXT NOT NULL,
	position TEXT NOT NULL,
	asset TEXT NOT NULL,
	amount TEXT NOT NULL CHECK (
		(amount NOT GLOB '*[^0-9]*' AND amount NOT IN ('', '0'))
		OR (position = 'adjustment' AND amount GLOB '-[1-9]*' AND substr(amount, 2) NOT GLOB '*[^0-9]*')
	),
	at INTEGER NOT NULL,
	PRIMARY KEY (network, tx_id, position, asset)
) STRICT, WITHOUT ROWID;
INSERT INTO reserve_entries_new SELECT network, tx_id, position, asset, amount, at FROM reserve_entries;
DROP TABLE reserve_entries;
ALTER TABLE reserve_entries_new RENAME TO reserve_entries;
