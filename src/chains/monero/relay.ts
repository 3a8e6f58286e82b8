/** Asks monerod itself to take a transaction. It says why it does not, which a wallet does not. */
import * as z from 'zod/mini';
import { BroadcastRejected, ChainUnavailable } from '../errors.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions } from './depth.ts';
import { decodeRaw } from './raw.ts';

const OK = 'OK';
const BUSY = 'BUSY';

const SENT = z.lazy(() =>
	z.object({
		status: z.string(),
		reason: z._default(z.string(), ''),
		double_spend: z._default(z.boolean(), false),
		fee_too_low: z._default(z.boolean(), false),
		invalid_input: z._default(z.boolean(), false),
	}),
);
type Flags = Omit<z.output<typeof SENT>, 'status' | 'reason'>;

export interface Refused extends Flags {
	readonly why: string;
}

/** Null where monerod takes it, or has it. `tx`: hexadecimal. @throws ChainUnavailable */
export async function relay({ rpc }: MoneroDaemon, tx: string): Promise<Refused | null> {
	const { status, reason, ...flags } = await rpc.post(SENT, 'send_raw_transaction', { tx_as_hex: tx });
	if (status === OK) return null;
	if (status === BUSY) throw new ChainUnavailable('monerod is busy');
	const names = Object.entries(flags).flatMap(([name, holds]) => (holds ? [name.replaceAll('_', ' ')] : []));
	return { ...flags, why: [...(reason ? [reason] : []), ...names].join(', ') || status };
}

/** As `Look.broadcast`. The wallet learns from the blocks which of its coins are spent. */
export async function broadcast(daemon: MoneroDaemon, text: string): Promise<void> {
	const raw = decodeRaw(text);
	if (!raw) throw new BroadcastRejected('not a signed transaction of Monero');
	if ((await heldTransactions(daemon, [raw.txId])).has(raw.txId)) return;
	const refused = await relay(daemon, raw.tx);
	if (refused === null) return;
	const { why, double_spend, invalid_input, fee_too_low } = refused;
	throw new BroadcastRejected(why, { underpriced: fee_too_low, unminable: double_spend || invalid_input });
}
