/** Advice about dues that can never arrive (`isDead`). Pure. */
import { whereToLook } from '../../chains/explorer.ts';
import type { TransactionRow } from '../../treasury/table.ts';

/** Somebody may have paid it already, before the database was set back. */
export const payByHand = ({ id, network, toAddress }: Pick<TransactionRow, 'id' | 'network' | 'toAddress'>): string =>
	`${whereToLook(network, toAddress)}: where nobody has paid it yet, pay the recipient by hand, from another wallet; ` +
	`then \`payout settle ${id} --tx-id T --reason R\``;
