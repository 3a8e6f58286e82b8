/** The widget: what is swapped, what it brings, and where it goes. Two forms: the first asks for a quote, the second orders. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { WidgetAnswer, WidgetAsked, WidgetProblem, WidgetQuote } from '../../ports/widget.ts';
import { assetName } from '../asset-names.ts';
import { coinOf, coins } from '../order/words.ts';
import { Layout } from '../parts/layout.tsx';
import { Field, Problem, Send, UNFILLED } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { Languages, useSay } from '../parts/speech.tsx';
import type { Say } from '../say.ts';

type Shown = Extract<WidgetAnswer, { readonly is: 'shown' }>;

interface Props {
	readonly partner: string;
	readonly asked: WidgetAsked;
	readonly answer: Shown;
	readonly bare: boolean;
}

/** Where the address names no pair. */
const USUAL = { from: 'BTC', to: 'ETH' } as const;

export function WidgetPage({ partner, asked, answer, bare }: Props) {
	const say = useSay();
	const { brand, quote } = answer;
	const pair = pairOf(asked, answer);
	const title = brand.name === null ? say('widget.title') : say('widget.titleAt', { name: shownPlain(brand.name) });
	const path = `/widget/${encodeURIComponent(partner)}`;
	return (
		<Layout title={title} width="narrow" links={[]} bare={bare} brand={brand} languages={<Languages />}>
			<div class="stack">
				<h1 class={bare ? 'hidden' : undefined}>{title}</h1>
				<form method="get" action={path}>
					<input type="hidden" name="lang" value={say.language} />
					<Field name="from" label={say('widget.from')} choices={named(answer.receives)} value={pair.from} />
					<Field
						name="amount"
						label={say('pay.amount')}
						value={asked.amount}
						inputmode="decimal"
						autocomplete="off"
						required
						maxlength={40}
						error={amountProblem(say, answer, pair)}
					/>
					<Field name="to" label={say('widget.to')} choices={named(answer.sends)} value={pair.to} />
					<Send class={quote ? 'plain' : undefined} text={say('widget.quote')} />
				</form>
				<Problem text={closedText(say, answer.problem)} />
				{quote && !IN_AMOUNT.has(answer.problem) && (
					<Order path={path} asked={{ ...asked, ...pair }} answer={answer} quote={quote} />
				)}
				{brand.terms && (
					<p class="small">
						<a href={brand.terms} target="_blank" rel="noopener noreferrer">
							{say('help.terms')}
						</a>
					</p>
				)}
			</div>
		</Layout>
	);
}

export function TooManyPage({ bare }: Pick<Props, 'bare'>) {
	const say = useSay();
	return (
		<Layout title={say('page.manyTitle')} width="narrow" links={[]} bare={bare}>
			<h1>{say('page.manyHeadline')}</h1>
		</Layout>
	);
}

/** The pair that the address names, where its assets are offered. */
function pairOf({ from, to }: WidgetAsked, { receives, sends }: Shown) {
	const known = (wanted: string, usual: string, offered: readonly AssetId[], except?: string): string =>
		[wanted, usual, ...offered].find((code) => offered.includes(code as AssetId) && code !== except) ?? '';
	const paid = known(from, USUAL.from, receives);
	return { from: paid, to: known(to, USUAL.to, sends, paid) };
}

const named = (codes: readonly AssetId[]): Readonly<Record<string, string>> =>
	Object.fromEntries(codes.map((code) => [code, assetName(code)]));

const IN_AMOUNT: ReadonlySet<WidgetProblem | null> = new Set(['amount', 'below', 'above', 'closed']);

function amountProblem(say: Say, { problem, quote }: Shown, { from }: Pick<WidgetAsked, 'from'>): string | undefined {
	if (problem === 'below' && quote) return say('widget.below', { min: coins(quote.from.min, from) });
	if (problem === 'above' && quote) return say('widget.above', { max: coins(quote.from.max, from) });
	return problem === 'amount' ? say('widget.badAmount') : undefined;
}

function closedText(say: Say, problem: WidgetProblem | null): string | null {
	if (problem === 'busy') return say('widget.busy');
	return problem === 'closed' ? say('widget.closed') : null;
}

interface OrderProps {
	readonly path: string;
	readonly asked: WidgetAsked;
	readonly answer: Shown;
	readonly quote: WidgetQuote;
}

function Order({ path, asked, answer: { problem }, quote }: OrderProps) {
	const say = useSay();
	const { from, to, amount, order } = asked;
	const network = (code: string) => assetOf(code as AssetId).network;
	const addressOf = (name: 'toAddress' | 'refundAddress', code: string) => ({
		name,
		required: true,
		maxlength: 200,
		hint: network(code),
		value: order?.[name] ?? '',
		error: problem === name ? say('widget.badAddress', { network: network(code) }) : undefined,
	});
	return (
		<form method="post" action={`${path}?lang=${say.language}`} target="_blank" rel="noopener">
			<p class="amount">{say('story.get', { amount: coins(quote.to.amount, to) })}</p>
			<p class="small soft">{say('details.rateMoves', { coin: coinOf(to) })}</p>
			{Object.entries({ from, to, amount }).map(([name, value]) => (
				<input type="hidden" name={name} value={value} />
			))}
			<Field {...UNFILLED} {...addressOf('toAddress', to)} label={say('widget.toAddress', { coin: coinOf(to) })} />
			<Field
				{...UNFILLED}
				{...addressOf('refundAddress', from)}
				label={say('widget.refundAddress', { coin: coinOf(from) })}
			/>
			<Send text={say('widget.order')} />
			<p class="small soft">{say('widget.opens')}</p>
		</form>
	);
}
