/** What came to the order's address that it did not ask for, and where that is now. */
import type { PayerOrder } from '../../payer/order.ts';
import { Transaction } from './transaction.tsx';
import { coinsOn } from './words.ts';

type Stray = PayerOrder['strays'][number];

const NEXT = {
	FOUND: 'We send it back to your refund address, less the network’s fee. Nothing for you to do.',
	HELD: 'It is safe. Somebody decides how it goes back; ask below if this lasts longer than a day.',
	KEPT: 'The network would take more for the way back than it is worth now. It stays on record, and goes back if the fee falls.',
} as const;

export const Strays = ({ shown }: { readonly shown: PayerOrder }) => (
	<>
		{shown.strays.map((stray) => (
			<div class="note warn">
				<p>{`You sent ${coinsOn(stray.amount, stray)} to an address for ${coinsOn('', shown.order.from).trim()}. It is no payment of this order.`}</p>
				<Next stray={stray} shown={shown} />
			</div>
		))}
	</>
);

function Next({
	stray: { status, back, network, code },
	shown,
}: {
	readonly stray: Stray;
	readonly shown: PayerOrder;
}) {
	const { id, amount } = back.tx;
	return (
		<>
			<p>
				{status === 'RETURNED'
					? `We sent ${coinsOn(amount ?? '', { code, network })} back to ${back.address}, less the network’s fee.`
					: NEXT[status]}
			</p>
			{id && (
				<p>
					<Transaction id={id} shown={shown} />
				</p>
			)}
		</>
	);
}
