/** How to pay: amount and address to copy, the wallet's link, and the QR image. */
import type { OrderView } from '../../orders/view.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Go, Note } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { Qr } from '../parts/qr.tsx';
import { walletOf } from './wallet.ts';
import { coinOf, coins } from './words.ts';

export function Pay({ order }: { readonly order: OrderView }) {
	const { code, network, amount, address } = order.from;
	const { uri, qr, qrHasAmount } = walletOf({ code, amount, address });
	const coin = coinOf(code);
	return (
		<section class="card" aria-label="How to pay">
			<Copyable value={amount} label="Amount">
				<span class="amount">{coins(amount, code)}</span>
			</Copyable>
			<Copyable value={address} label="Address">
				<Address value={shownPlain(address)} />
			</Copyable>
			<Note tone="warn">
				{`Send only ${coin} on the ${network} network. Another coin, or ${coin} on another network, does not arrive here.`}
			</Note>
			{uri && <Go main to={uri} text="Open in wallet" />}
			<Qr text={qr} label={qrHasAmount ? 'Address and amount as a QR code' : 'The address as a QR code'} />
			<p class="small soft centre">
				{qrHasAmount
					? 'The code has the address and the amount.'
					: 'The code has the address. Enter the amount in your wallet.'}
			</p>
		</section>
	);
}
