/** The payer paid, and nothing shows: they name the transaction, and read what it gave this order's address. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { isNetworkName, networkNamed } from '../../catalog/networks.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { PayerOrder } from '../../payer/order.ts';
import type { Gave, Named, NamedAnswer } from '../../treasury/strays/named-answer.ts';
import { Field, Note, Send } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { coinsOn } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
	readonly token: string | null;
	/** Null where none was named just now. */
	readonly named: NamedAnswer | null;
}

/** On the others each payment to an address is listed, and no other coin can come there. */
const FAMILIES: ReadonlySet<string> = new Set(['evm', 'tron', 'solana']);
const MAX_CHARACTERS = 300;

export function NamedTransaction({ shown: { order }, token, named }: Props) {
	const { network } = order.from;
	if (!isNetworkName(network) || !FAMILIES.has(networkNamed(network).family)) return null;
	return (
		<details class="card" open={named !== null}>
			<summary>You paid, and it does not show here?</summary>
			<form method="post" action={`/o/${order.id}`} data-send>
				<p>
					Perhaps it was another coin, or another network. Enter the id of your transaction, as your wallet or an
					explorer shows it.
				</p>
				<input type="hidden" name="action" value="named" />
				{token !== null && <input type="hidden" name="token" value={token} />}
				<Field name="tx" label="Transaction id" maxlength={MAX_CHARACTERS} required autocomplete="off" />
				<Send class="plain" text="Look it up" />
			</form>
			{named !== null && (
				<Note tone="warn" alert>
					{textsOf(named).map((text) => (
						<p>{text}</p>
					))}
				</Note>
			)}
		</details>
	);
}

function textsOf(named: NamedAnswer): string[] {
	if (named === 'no id') return ['This is no id of a transaction on this network. Copy it from your wallet.'];
	if (named === 'used up')
		return [
			'This order’s transactions are looked up no more from here. Ask below, and send the id with your question.',
		];
	const gave = named.flatMap(({ network, found }) =>
		typeof found === 'string' ? [] : found.map((each) => gaveText(network, each)),
	);
	if (gave.length > 0) return gave;
	const on = (found: Named['found']) => named.filter((each) => each.found === found).map(({ network }) => network);
	const [pending, nothing, silent] = [on('pending'), on('nothing'), on('not answering')];
	return [
		...pending.map(
			(network) => `${network} knows this transaction, and no block holds it yet. Look again in some minutes.`,
		),
		...nothing.map((network) => `This transaction is on ${network}, and it gave nothing to the address of this order.`),
		...(pending.length + nothing.length + silent.length === 0
			? [`No such transaction is known on ${named.map(({ network }) => network).join(', ')}.`]
			: []),
		...(silent.length > 0 ? [`${silent.join(', ')} cannot be asked now. Look again in some minutes.`] : []),
	];
}

function gaveText(network: string, { asset, token, amount, is }: Gave): string {
	if (asset === null)
		return `It brought a token that this service does not know to this address on ${network}: ${shownPlain(token ?? '')}. It is on record; nothing sends it back by itself. Ask below.`;
	const sum = sumOn(asset, amount);
	if (is === 'deposit') return `It brought ${sum}, a payment of this order. It shows above once it is recorded.`;
	if (is === 'late')
		return `It brought ${sum} after this address was closed. It is not lost, and not sent by itself: ask below.`;
	return `It brought ${sum}, which is no payment of this order. What becomes of it is said above.`;
}

const sumOn = (asset: AssetId, amount: string): string =>
	coinsOn(fromBaseUnits(BigInt(amount), assetOf(asset).decimals), assetOf(asset));
