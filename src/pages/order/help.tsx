/** Whom to ask, with the id to quote; and the way to another swap. */
import type { PayerOrder } from '../../payer/order.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Card } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';

interface Props {
	/** Null where the address of the page names none. */
	readonly id: string | null;
	readonly partner: PayerOrder['partner'];
	/** Is another swap what comes next? */
	readonly over?: boolean;
}

export const NOBODY: PayerOrder['partner'] = {
	name: null,
	returnUrl: null,
	support: null,
	terms: null,
	accent: null,
	logo: null,
	language: null,
};

export function Help({ id, partner: { name, returnUrl, support, terms }, over = false }: Props) {
	const say = useSay();
	const shop = name === null ? null : shownPlain(name);
	const newSwap = shop === null ? say('help.newSwap') : say('help.newSwapAt', { name: shop });
	const back = shop === null ? say('help.back') : say('help.backTo', { name: shop });
	return (
		<Card title={say('help.title')}>
			<p>
				<Contact name={shop} support={support} />
				{id && say.blank + say('help.quote')}
			</p>
			{id && <Copyable value={id} label={say('help.order')} copyLabel={say('copy.order')} />}
			<p class="small soft">{say('help.impostors')}</p>
			{over || <KeepLink />}
			{terms && (
				<p>
					<a href={terms} target="_blank" rel="noopener noreferrer">
						{shop === null ? say('help.terms') : say('help.termsOf', { name: shop })}
					</a>
				</p>
			)}
			{returnUrl && (
				<p>
					<a class={over ? 'button' : 'button plain'} href={returnUrl} target="_blank" rel="noopener noreferrer">
						<span>{over ? newSwap : back}</span>
					</a>
				</p>
			)}
		</Card>
	);
}

/** The script shows it, with the token that it took out of the address. */
function KeepLink() {
	const say = useSay();
	return (
		<button type="button" class="plain" data-copy data-keep data-label={say('help.link')} hidden>
			<span data-said>{say('help.copyLink')}</span>
		</button>
	);
}

/** `name`: as it may be shown. */
function Contact({ name, support }: Pick<PayerOrder['partner'], 'name' | 'support'>) {
	const say = useSay();
	if (support === null) return <>{name === null ? say('help.ask') : say('help.askName', { name })}</>;
	const href = support.includes('://') ? support : `mailto:${support}`;
	const contact = (
		<a href={href} target="_blank" rel="noopener noreferrer">
			<bdi dir="ltr">{shownPlain(support)}</bdi>
		</a>
	);
	return <>{name === null ? say.rich('help.askAt', { contact }) : say.rich('help.askNameAt', { name, contact })}</>;
}
