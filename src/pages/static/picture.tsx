/** The product as a picture, drawn with its own parts: an order's page, and what it says in the end. Nothing in it can be used. */
import { Address } from '../parts/copyable.tsx';
import { State } from '../parts/parts.tsx';
import { Qr } from '../parts/qr.tsx';

const SAYS =
	'The page of an order at your shop: send 0.05 BTC to this address, scan the code, and get about 1.4769 ETH. Then: sent, 1.4769 ETH.';

export const Picture = () => (
	<div class="picture" role="img" aria-label={SAYS}>
		<div class="card loud">
			<p class="row ends">
				<State tone="plain" word="Waiting for payment" />
				<span class="small soft">59:12 left</span>
			</p>
			<p class="headline">
				<b>Send 0.05&nbsp;BTC</b>
				<span class="soft">You get about 1.4769&nbsp;ETH, at Your Shop</span>
			</p>
			<div class="copy">
				<span data-name="Address">
					<Address value="bc1qexample0drawn0by0hand0nobody0isf4a7" />
				</span>
			</div>
			<Qr text="This is a drawing. There is nothing to pay." label="A QR code" />
			<span class="button">Open in wallet</span>
		</div>
		<div class="card loud told">
			<State tone="good" word="Done" />
			<b>Sent: 1.4769&nbsp;ETH</b>
			<span class="small soft">12 minutes from your payment</span>
		</div>
	</div>
);
