-- Watching gets cheaper as orders age (`treasury/watched.ts`): those whose window closed lately are looked at each time,
-- older ones a slice at a time. A slice is one of a hundred remainders of the derivation index.
DROP INDEX orders_watched;
CREATE INDEX orders_watched ON orders (from_network, expires_at, id);
CREATE INDEX orders_watched_in_turn ON orders (from_network, pay_in_index % 100, expires_at, id);
