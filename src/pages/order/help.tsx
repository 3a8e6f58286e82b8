/** Whom to ask, with the id to quote; and the way to another swap. */
import type { PayerOrder } from '../../payer/order.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';

interface Props {
	/** Null where the address of the page names none. */
	readonly id: string | null;
	readonly partner: PayerOrder['partner'];
	/** Is another swap what comes next? */
	readonly over?: boolean;
}

export const NOBODY: PayerOrder['partner'] = { name: null, returnUrl: null, support: null };

export const Help = ({ id, partner, over = false }: Props) => (
	<Card title="Questions?">
		<p>
			<Contact partner={partner} />
			{id && ' Quote the number of the order:'}
		</p>
		{id && <Copyable value={id} label="Order number" />}
		{over || <KeepLink />}
		{partner.returnUrl && (
			<p>
				<a class={over ? 'button' : 'button plain'} href={partner.returnUrl} target="_blank" rel="noopener noreferrer">
					{over
						? `New swap${partner.name ? ` at ${shownPlain(partner.name)}` : ''}`
						: `Back to ${partner.name ? shownPlain(partner.name) : 'where you came from'}`}
				</a>
			</p>
		)}
	</Card>
);

/** The script shows it, with the token that it took out of the address. */
const KeepLink = () => (
	<button type="button" class="plain" data-copy data-keep data-label="Link to this page" hidden>
		<span data-said>Copy the link to this page</span>
	</button>
);

function Contact({ partner: { name, support } }: Pick<Props, 'partner'>) {
	const who = name === null ? 'the service that gave you this link' : shownPlain(name);
	if (support === null) return <>{`Ask ${who}.`}</>;
	const href = support.includes('://') ? support : `mailto:${support}`;
	return (
		<>
			{`Ask ${who}: `}
			<a href={href} target="_blank" rel="noopener noreferrer">
				{shownPlain(support)}
			</a>
			.
		</>
	);
}
