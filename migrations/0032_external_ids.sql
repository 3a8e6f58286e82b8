-- A reference of the partner's own, given at create and echoed. Null: none was given.
ALTER TABLE orders ADD COLUMN external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 64);
-- 1: the create asked that its partner's reference makes one order.
ALTER TABLE orders ADD COLUMN external_id_unique INTEGER NOT NULL DEFAULT 0 CHECK (external_id_unique = 0 OR (external_id_unique = 1 AND external_id IS NOT NULL));
CREATE UNIQUE INDEX orders_external_unique ON orders (partner_id, external_id) WHERE external_id_unique = 1;
-- `order find` searches by the reference alone, a partner's list by their own.
CREATE INDEX orders_by_external ON orders (external_id, partner_id, created_at) WHERE external_id IS NOT NULL;
-- A partner's list by status reads as many rows as it shows, however many orders there are.
CREATE INDEX orders_by_partner_status ON orders (partner_id, status, created_at);
