/** How to pay: amount and address to copy, the code for a wallet's camera, and the wallet's link. */
import type { OrderView } from '../../orders/view.ts';
import { Address, Copyable } from '../parts/copyable.tsx';
import { Go, Note } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { Qr } from '../parts/qr.tsx';
import { useSay } from '../parts/speech.tsx';
import { type Wallet, walletOf } from './wallet.ts';
import { coinOf, coins } from './words.ts';

interface Props {
	readonly from: OrderView['from'];
	/** The amount to send: the order's own, or the missing part of it. */
	readonly amount?: string;
	/** Inside another card it has no frame of its own. */
	readonly inside?: boolean;
}

export function Pay({ from, amount = from.amount, inside = false }: Props) {
	const say = useSay();
	const { code, network, address } = from;
	const wallet = walletOf({ code, amount, address });
	return (
		<section class={inside ? 'stack pay' : 'card loud pay'} aria-label={say('pay.how')}>
			<Copyable value={amount} label={say('pay.amount')} copyLabel={say('copy.amount')} named>
				<span class="amount">{coins(amount, code)}</span>
			</Copyable>
			<Copyable value={address} label={say('pay.address')} copyLabel={say('copy.address')} named>
				<Address value={shownPlain(address)} />
			</Copyable>
			<Codes wallet={wallet} address={address} />
			{wallet.uri && <Go main to={wallet.uri} text={say('pay.open')} />}
			{wallet.uri && <p class="small soft centre">{say('pay.nothingOpens')}</p>}
			<Note tone="warn">
				<p>{say('pay.only', { coin: coinOf(code), network })}</p>
			</Note>
		</section>
	);
}

/** One code, or two with a switch, which is the stylesheet's: it needs no script. */
function Codes({ wallet: { link, isLinkFirst }, address }: { readonly wallet: Wallet; readonly address: string }) {
	const say = useSay();
	const ofAddress = <Qr text={address} label={say('pay.codeAddress')} />;
	if (link === null)
		return (
			<div class="codes">
				{ofAddress}
				<p class="small soft centre">{say('pay.codeEnterAmount')}</p>
			</div>
		);
	return (
		<fieldset class="codes">
			<legend class="hidden">{say('pay.codeHas')}</legend>
			<div class="of-link">
				<Qr text={link} label={say('pay.codeBoth')} />
			</div>
			<div class="of-address">{ofAddress}</div>
			<p class="row centre">
				<Choice value="link" text={say('pay.both')} checked={isLinkFirst} />
				<Choice value="address" text={say('pay.addressOnly')} checked={!isLinkFirst} />
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
