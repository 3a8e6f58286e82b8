-- Watching gets cheaper as orders age (`treasury/watched.ts`): those whose window closed lately are looked at each time,
-- older ones a slice at a time: a tenth of today's orders, a hundredth of the month's, by the derivation index.
DROP INDEX orders_watched;
CREATE INDEX orders_watched ON orders (from_network, expires_at, id);
CREATE INDEX orders_watched_today ON orders (from_network, pay_in_index % 10, expires_at, id);
CREATE INDEX orders_watched_in_turn ON orders (from_network, pay_in_index % 100, expires_at, id);
