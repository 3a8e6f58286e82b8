/**
 * An order as its payer sees it: what is so, what to do, then the details. The same parts are the page that is complete
 * without JavaScript, and what its script puts in their place when the order has changed.
 */
import type { Child } from 'hono/jsx';
import type { RefundAnswer } from '../../orders/refund-answer.ts';
import type { PayerOrder } from '../../payer/order.ts';
import type { PayerPromise } from '../../ports/desk.ts';
import type { NamedAnswer } from '../../treasury/strays/named-answer.ts';
import { Send, State } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import { Decide } from './decide.tsx';
import { type ShownProof, SignedFile } from './deed.tsx';
import { History, Receipt, Swap } from './details.tsx';
import { Help } from './help.tsx';
import { NamedTransaction } from './named.tsx';
import { Pay } from './pay.tsx';
import { Refund } from './refund.tsx';
import { type Kind, lastSeconds, type Story, storyOf } from './story.ts';
import { Strays } from './strays.tsx';
import { aboutMinutes, coins, pathOf } from './words.ts';

export interface ViewProps {
	readonly shown: PayerOrder;
	/** The amounts of a transaction that the payer has just named. */
	readonly named: NamedAnswer | null;
	/** The answer to a refund that the payer has just asked for. */
	readonly refund: RefundAnswer | null;
	/** The signed promise that the payer has just asked for. */
	readonly promise: PayerPromise | null;
	readonly proof: ShownProof;
	/** Without JavaScript the forms carry the token; null where the script sends it. */
	readonly token: string | null;
	/** The service's host, which a receipt names. */
	readonly host: string;
}

/** How the script keeps up: `fast` while the order goes on, `slow` where it may go on, `end` where it does not. */
function liveOf({ order, strays }: PayerOrder): 'fast' | 'slow' | 'end' {
	if (order.status === 'DONE') return strays.some(({ status }) => status !== 'RETURNED') ? 'slow' : 'end';
	return order.status === 'EXPIRED' ? 'slow' : 'fast';
}

/** The order takes a payment now. */
const PAYABLE: ReadonlySet<Kind> = new Set(['pay', 'dropped']);
/** A reader who looks elsewhere is told of these. */
const NEWS: ReadonlySet<Kind> = new Set(['decide', 'done', 'returned', 'closed', 'expired']);
/** With a link to the status page. */
const TROUBLE: ReadonlySet<Kind> = new Set(['paused', 'slow', 'unpriced']);
/** Another swap is what comes next. */
const OVER: ReadonlySet<Kind> = new Set(['done', 'returned', 'closed', 'expired']);

export function OrderView({ shown, named, refund, promise, proof, token, host }: ViewProps) {
	const story = storyOf(shown, useSay());
	const { order, version, now } = shown;
	return (
		<div
			class="stack"
			data-version={version}
			data-now={now}
			data-live={liveOf(shown)}
			data-title={story.headline}
			data-news={NEWS.has(story.kind) ? story.kind : ''}
		>
			<Part name="head">
				<Head story={story} shown={shown} />
			</Part>
			<Part name="strays">
				<Strays shown={shown} />
			</Part>
			<Part name="action">
				{PAYABLE.has(story.kind) && <Pay from={order.from} />}
				{story.kind === 'decide' && <Decide shown={shown} token={token} />}
				{(story.kind === 'done' || story.kind === 'returned') && <Receipt shown={shown} host={host} />}
			</Part>
			<Part name="refund">
				<Refund shown={shown} token={token} refund={refund} />
			</Part>
			<Part name="tell">{liveOf(shown) === 'fast' && <TellMe />}</Part>
			<Part name="bounds">{PAYABLE.has(story.kind) && <Bounds shown={shown} />}</Part>
			<Part name="named">
				<NamedTransaction shown={shown} token={token} named={named} />
			</Part>
			<Part name="swap">
				<Swap shown={shown} />
			</Part>
			<Part name="history">
				<History shown={shown} />
			</Part>
			<Part name="promise">
				<SignedFile id={order.id} token={token} action="promise" file={promise ?? 'ask'} />
			</Part>
			<Part name="proof">
				{proof !== 'off' && <SignedFile id={order.id} token={token} action="proof" file={proof} />}
			</Part>
			<Part name="help">
				<Help id={order.id} partner={shown.partner} over={OVER.has(story.kind)} />
			</Part>
			{token !== null && <LoadAgain id={order.id} token={token} />}
		</div>
	);
}

/** An order's amount is a wish: what comes within the bounds of now is swapped. With a floor less than it may go back. */
function Bounds({ shown: { order, quote } }: { readonly shown: PayerOrder }) {
	const say = useSay();
	if (!quote) return null;
	return (
		<p class="small soft">
			{say('view.bounds', {
				min: order.minToAmount === undefined ? quote.min : order.from.amount,
				max: coins(quote.max, order.from.code),
			})}
		</p>
	);
}

/** The script replaces only the parts that differ, so that nothing else moves, and what is selected stays selected. */
export const Part = ({ name, children }: { readonly name: string; readonly children: Child }) => (
	<div class="stack" data-part={name}>
		{children}
	</div>
);

function Head({ story, shown }: { readonly story: Story; readonly shown: PayerOrder }) {
	const { order } = shown;
	const counts = story.kind === 'pay';
	return (
		<div class={`headline ${story.tone}`}>
			<p class="row ends">
				<State tone={story.tone} word={story.word} />
				{counts && <Countdown until={order.time.expiration * 1000} left={order.time.left} />}
			</p>
			<h1 tabindex={-1}>{story.headline}</h1>
			<p class={lastSeconds(shown) === null ? 'soft' : undefined}>{story.next}</p>
			{story.kind === 'confirming' && <Confirmations shown={shown} />}
			{TROUBLE.has(story.kind) && (
				<p>
					<a href="/status" target="_blank" rel="noopener">
						{useSay()('story.pausedLink')}
					</a>
				</p>
			)}
		</div>
	);
}

/** Minutes, which the script makes count down. A reader of the screen is told at the last ten minutes, not each second. */
function Countdown({ until, left }: { readonly until: number; readonly left: number }) {
	const say = useSay();
	return (
		<span
			class="soft"
			data-until={until}
			data-left={say('view.clockLeft', { clock: '{}' })}
			role="timer"
			aria-label={say('view.timeLeft')}
		>
			{say('view.minutesLeft', { minutes: Math.max(1, Math.ceil(left / 60)) })}
		</span>
	);
}

function Confirmations({ shown: { progress } }: { readonly shown: PayerOrder }) {
	const say = useSay();
	if (!progress) return null;
	const { confirmations, needed, minutes } = progress;
	const seen = Math.min(confirmations ?? 0, needed);
	const wait = aboutMinutes(say, minutes);
	const text =
		confirmations === null
			? say('view.confirmationsNeeded', { needed, wait })
			: say('view.confirmations', { seen, needed, wait });
	return (
		<div class="stack">
			<progress max={needed} value={seen} aria-label={text} />
			<p>{text}</p>
		</div>
	);
}

function LoadAgain({ id, token }: { readonly id: string; readonly token: string }) {
	const say = useSay();
	return (
		<form method="post" action={pathOf(id, say)}>
			<input type="hidden" name="token" value={token} />
			<Send class="plain" text={say('page.loadAgain')} />
		</form>
	);
}

/** The script shows it where the browser has notifications, and asks for them only when it is pressed. */
function TellMe() {
	const say = useSay();
	return (
		<p class="small" data-tell hidden>
			<button type="button" class="link">
				{say('tell.ask')}
			</button>
			<span data-tell-on hidden>
				{say('tell.on')}
			</span>
			<span data-tell-off hidden>
				{say('tell.off')}
			</span>
		</p>
	);
}
