-- Free pay-in addresses are kept by the agents of the networks, in their own storage (`treasury/address-stock.ts`): what
-- is free must not be what D1 says, which can be rewritten or set back to an earlier time. An address stands here only
-- once an order has it. The rows that were free are never handed out; that is a gap in the indexes and costs nothing.
DROP INDEX pay_in_addresses_free;
DROP TABLE pay_in_addresses;
