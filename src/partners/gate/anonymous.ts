/**
 * Who pays for an anonymous call? The client's network, from its budget in AnonymousGate. Calls of networks that share a
 * gate share trips to it, and a network that has to wait does not reach it.
 */
import { blockOf, clientNetwork } from '../../http/client-network.ts';
import { JoinedCalls } from '../../platform/joined.ts';
import { inSpan } from '../../platform/span.ts';
import type { AnonymousCall, AnonymousGateRpc, AnonymousSpend } from '../../ports/gates.ts';
import { KnownWaits } from './known-waits.ts';

export interface AnonymousGates {
	readonly anonymous: DurableObjectNamespace<AnonymousGateRpc>;
	/** Keeps work of this call going when its client is gone. */
	readonly background: (work: Promise<unknown>) => void;
}

/** They are this isolate's own. */
const waits = new KnownWaits();
const asked = new JoinedCalls<AnonymousCall, number | null>();
/** In the first of them it is not asked again. */
const OVERLOADED_SECONDS = 2;

/**
 * Seconds to wait, or null when the client's network has this much left in `bucket`, which is then spent. `isQuestion`: it
 * is not.
 */
export async function spendAnonymous(
	{ anonymous, background }: AnonymousGates,
	bucket: string,
	address: string | null,
	{ spent, isQuestion = false }: { readonly spent?: AnonymousSpend; readonly isQuestion?: boolean } = {},
): Promise<number | null> {
	const network = clientNetwork(address);
	const name = `${bucket} ${network}`;
	const known = waits.of(name, spent, Date.now());
	if (known !== null) return known;
	const gate = `${bucket} ${blockOf(network)}`;
	// Without a hint: the platform creates the gate near the networks that it counts.
	const send = (calls: readonly AnonymousCall[]) => anonymous.getByName(gate).admitAll(calls);
	const call = { network, spent, ...(isQuestion && { isQuestion }) };
	const seconds = await inSpan('gate', () => asked.ask(gate, call, { send, background })).catch(whereOverloaded);
	if (seconds !== null) waits.remember(name, spent, Date.now(), seconds);
	return seconds;
}

/** The platform refuses calls to an object that has too many. */
function whereOverloaded(error: unknown): number {
	if (Object(error).overloaded === true) return OVERLOADED_SECONDS;
	throw error;
}
