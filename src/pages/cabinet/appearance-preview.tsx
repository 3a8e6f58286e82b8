/** How a partner's order pages look, with what is typed, and the texts that put the widget on their site. */
import { base64 } from '@scure/base';
import { AccentStyle, type Brand, BrandHead } from '../parts/brand.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Card, Send, State } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';

interface PreviewProps extends Brand {
	/** The logo as it is, which payers are not shown yet. */
	readonly image: Uint8Array | null;
}

/** A picture: nothing in it can be pressed, and no reader is told of it. */
export const Preview = ({ image, ...brand }: PreviewProps) => (
	<div class={brand.accent ? 'preview accented' : 'preview'} inert aria-hidden="true">
		<AccentStyle accent={brand.accent} />
		<BrandHead {...brand} logoPath={image && `data:image/png;base64,${base64.encode(image)}`} />
		<State tone="busy" word="Waiting for payment" />
		<p class="amount">Send 2 LTC (Litecoin)</p>
		<p class="soft">{`You get about 0.05612 ETH${brand.name === null ? '' : `, at ${shownPlain(brand.name)}`}.`}</p>
		<div class="row">
			<Send text="Open in wallet" />
			<a href="#content">Terms</a>
		</div>
	</div>
);

interface EmbedProps {
	readonly origin: string;
	readonly partnerId: string;
	readonly frames: readonly string[];
}

export function Embed({ origin, partnerId, frames }: EmbedProps) {
	const address = `${origin}/widget/${partnerId}`;
	const frame = `<iframe src="${address}?from=BTC&amp;to=ETH" title="Swap" width="400" height="640" style="border:0"></iframe>`;
	const element = `<script src="${origin}/widget.js" defer></script>\n<partner-exchange-widget partner="${partnerId}" from="BTC" to="ETH"></partner-exchange-widget>`;
	const link = `<a href="${address}?from=BTC&amp;to=ETH" target="_blank" rel="noopener">Swap</a>`;
	return (
		<Card title="Put it on your site">
			<p>
				{frames.length === 0 ? (
					<>
						A frame is shown once you name your site under “Sites that may frame the pages” in{' '}
						<a href="/cabinet/settings">settings</a>. The button works without.
					</>
				) : (
					<>
						It is shown in frames of <bdi>{frames.join(', ')}</bdi> alone.
					</>
				)}{' '}
				<a href="/docs/embed">How it works</a>
			</p>
			<h3>A frame, without a script</h3>
			<Copyable value={frame} label="Frame" />
			<h3>A web component</h3>
			<Copyable value={element} label="Web component" />
			<h3>A button</h3>
			<Copyable value={link} label="Button" />
		</Card>
	);
}
