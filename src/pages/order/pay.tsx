/** How to pay: amount and address to copy, the code for a wallet's camera, and the wallet's link. */
import type { OrderView } from '../../orders/view.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Go, Note } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { Qr } from '../parts/qr.tsx';
import { type Wallet, walletOf } from './wallet.ts';
import { coinOf, coins } from './words.ts';

interface Props {
	readonly from: OrderView['from'];
	/** The amount to send: the order's own, or the missing part of it. */
	readonly amount?: string;
}

export function Pay({ from, amount = from.amount }: Props) {
	const { code, network, address } = from;
	const wallet = walletOf({ code, amount, address });
	const coin = coinOf(code);
	return (
		<section class="card pay" aria-label="How to pay">
			<Copyable value={amount} label="Amount" named>
				<span class="amount">{coins(amount, code)}</span>
			</Copyable>
			<Copyable value={address} label="Address" named>
				<Address value={shownPlain(address)} />
			</Copyable>
			<Codes wallet={wallet} address={address} />
			{wallet.uri && <Go main to={wallet.uri} text="Open in wallet" />}
			{wallet.uri && <p class="small soft centre">Does nothing open? Copy address and amount into your wallet.</p>}
			<Note tone="warn">
				{`Send only ${coin} on the ${network} network. Another coin, or ${coin} on another network, does not arrive here.`}
			</Note>
		</section>
	);
}

/** One code, or two with a switch, which is the stylesheet's: it needs no script. */
function Codes({ wallet: { link, isLinkFirst }, address }: { readonly wallet: Wallet; readonly address: string }) {
	const ofAddress = <Qr text={address} label="The address as a QR code" />;
	if (link === null)
		return (
			<div class="codes">
				{ofAddress}
				<p class="small soft centre">The code has the address. Enter the amount in your wallet.</p>
			</div>
		);
	return (
		<fieldset class="codes">
			<legend class="hidden">The QR code has</legend>
			<div class="of-link">
				<Qr text={link} label="Address and amount as a QR code" />
			</div>
			<div class="of-address">{ofAddress}</div>
			<p class="row centre">
				<Choice value="link" text="Address and amount" checked={isLinkFirst} />
				<Choice value="address" text="Address only" checked={!isLinkFirst} />
			</p>
		</fieldset>
	);
}

interface ChoiceProps {
	readonly value: string;
	readonly text: string;
	readonly checked: boolean;
}

const Choice = ({ value, text, checked }: ChoiceProps) => (
	<label class="check small">
		<input type="radio" name="code" value={value} checked={checked} autocomplete="off" />
		{text}
	</label>
);
