/**
 * A transaction that a payer or an operator names, because its coins do not show. Each network on which the order's address can
 * be paid looks it up, and looks at the same time what lies at the address. What somebody names is only a place to look at:
 * whatever is recorded is what the chain holds, and the same transaction named again records nothing more.
 */
import { type Family, NETWORK_NAMES, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { type ChainConfiguration, networkMode } from '../../chains/configuration.ts';
import type { Chain, Received } from '../../chains/port.ts';
import type { OrderRow } from '../../orders/table.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed, type Regional } from '../../platform/region.ts';
import type { ChainAgentRpc } from '../../ports/chain-agent.ts';
import type { Gave, Named, NamedOn } from './named-answer.ts';
import { isAskedFor } from './rules.ts';
import { isPaidByMistake } from './store.ts';

const HEX_ID = /(?<![0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/i;
const ID_IN: Readonly<Record<Family, (text: string) => string | undefined>> = {
	evm: (text) => HEX_ID.exec(text)?.[1]?.toLowerCase().replace(/^/, '0x'),
	tron: (text) => HEX_ID.exec(text)?.[1]?.toLowerCase(),
	utxo: (text) => HEX_ID.exec(text)?.[1]?.toLowerCase(),
	monero: (text) => HEX_ID.exec(text)?.[1]?.toLowerCase(),
	solana: (text) => /[1-9A-HJ-NP-Za-km-z]{64,88}/.exec(text)?.[0],
};

/** The transaction id in a text, which may be the address of an explorer's page. Null where there is none. */
export const transactionIn = (text: string, network: NetworkName): string | null =>
	ID_IN[networkNamed(network).family](text) ?? null;

/** The networks that are run on which the order's address can be paid. */
export const networksOf = (env: ChainConfiguration, { fromNetwork }: Pick<OrderRow, 'fromNetwork'>): NetworkName[] =>
	NETWORK_NAMES.filter((name) => isPaidByMistake(name, fromNetwork) && networkMode(env, name) !== null);

type Agents = Regional & { readonly CHAIN_AGENT: DurableObjectNamespace<ChainAgentRpc> };

/** Asks the networks, each for itself. */
export const lookUpOn = (
	env: Agents,
	networks: readonly NetworkName[],
	orderId: string,
	txId: string,
): Promise<Named[]> =>
	Promise.all(
		networks.map(async (network): Promise<Named> => {
			try {
				return { network, found: await objectNamed(env, env.CHAIN_AGENT, network).lookUp(network, orderId, txId) };
			} catch (error) {
				logError('named_not_looked_up', error, { network, orderId });
				return { network, found: 'not answering' };
			}
		}),
	);

/** In the agent. `record`: what lies at the address; `tokens` that are not listed. @throws ChainUnavailable */
export async function lookUp(
	chain: Chain,
	order: OrderRow,
	{ txId, now }: { readonly txId: string; readonly now: number },
	record: (tokens: Received['tokens']) => Promise<void>,
): Promise<NamedOn> {
	if (!chain.received) return 'listed';
	const received = await chain.received(txId, order.payInAddress);
	if (!received) return 'unknown';
	if (!received.isInBlock) return 'pending';
	await record(received.tokens);
	const isOver = order.watchUntil <= now;
	const gave = [
		...[...received.assets].map(([asset, amount]): Gave => {
			const is = !isAskedFor(order, asset) ? 'stray' : isOver ? 'late' : 'deposit';
			return { asset, token: null, amount: amount.toString(), is };
		}),
		...[...received.tokens].map(([token, amount]): Gave => {
			return { asset: null, token, amount: amount.toString(), is: 'stray' };
		}),
	];
	return gave.length === 0 ? 'nothing' : gave;
}
