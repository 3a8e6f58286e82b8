/** One value of an answer as people read it: a state, a moment, a link, or text in which nothing is hidden. */
import type { Child } from 'hono/jsx';
import {
	type Tone as Colour,
	isEmpty,
	isRow,
	momentOf,
	type Row,
	SWITCHES,
	shortIds,
	toneOf,
} from '../../operator/reading/fields.ts';
import { labelOf } from '../../operator/topics/labels.ts';
import { assetName } from '../asset-names.ts';
import { CopyButton } from '../parts/copyable.tsx';
import { State, Time, type Tone } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { actionsIn } from './todo.ts';

const TONES: Readonly<Record<Colour, Tone>> = { red: 'bad', yellow: 'warn', green: 'good' };

/** Where the subject of a field has a page of its own. */
const PAGES: Readonly<Record<string, string>> = {
	orderId: 'orders',
	order: 'orders',
	payoutId: 'transactions',
	transaction: 'transactions',
	partnerId: 'partners',
	partner: 'partners',
	network: 'networks',
};
/** Shown this once, or needed elsewhere. */
const COPIED: ReadonlySet<string> = new Set([
	'apiKey',
	'apiSecret',
	'webhookSecret',
	'secret',
	'txId',
	'toAddress',
	'hotAddress',
	'address',
]);
/** A sentence, not a state, whatever its colour. */
const SENTENCES: ReadonlySet<string> = new Set([
	'lastError',
	'attention',
	'waitsBecause',
	'cause',
	'why',
	'held',
	'detail',
	'todo',
	'what',
]);
/** Their values are words in capitals. */
const STATES: ReadonlySet<string> = new Set(['status', 'choice']);
/** Why an order waits for a decision. */
const REASONED: ReadonlySet<string> = new Set(['emergency', 'emergencyReasons']);
const REASONS: Readonly<Record<string, string>> = { LIMIT: 'Another amount', EXPIRED: 'Paid late' };
/** Their values are codes of assets. */
const ASSETS: ReadonlySet<string> = new Set(['asset', 'code', 'from', 'to', 'payoutAsset', 'fromAsset', 'toAsset']);
const LONG = 24;
const NUMBER = /^-?\d{5,}(?:\.\d+)?$/;
/** Numbers that count nothing. */
const UNGROUPED: ReadonlySet<string> = new Set(['id', 'payInIndex', 'sequence', 'number', 'subject']);

/** Characters that names and labels may hide: control characters, and those that turn the direction of a text. */
export const visible = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '\uFFFD');

interface ValueProps {
	readonly field: string;
	readonly value: unknown;
	/** In a table, ids are their beginning and long texts are cut in the middle; the whole is in the title. */
	readonly short?: boolean;
}

export function Value({ field, value, short = false }: ValueProps) {
	if (isEmpty(value)) return <span class="soft">–</span>;
	const at = momentOf(field, value);
	if (at !== null) return <Time at={at} />;
	if (typeof value === 'boolean') return stateOf(field, value, truthOf(field, value));
	if (ASSETS.has(field) && typeof value === 'string') return <span>{visible(assetName(value))}</span>;
	if (Array.isArray(value)) return <span>{visible(value.map((one) => wordOf(field, plainText(one))).join(', '))}</span>;
	if (isRow(value)) return <span>{visible(factsText(value))}</span>;
	const text = wordOf(field, visible(String(value)));
	if (field === 'more') return <MoreOf command={text} />;
	const page = PAGES[field];
	if (page)
		return (
			<a href={`/operator/${page}/${encodeURIComponent(text)}`} title={text}>
				{short ? shortIds(text) : text}
			</a>
		);
	if (field === 'explorer')
		return (
			<a href={text} rel="noreferrer">
				In the explorer
			</a>
		);
	if (!SENTENCES.has(field) && toneOf(field, value) !== null) return stateOf(field, value, text);
	if (COPIED.has(field)) return short ? cut(text) : <Copied label={labelOf(field)} text={text} />;
	if (NUMBER.test(text) && !UNGROUPED.has(field)) return <span>{grouped(text)}</span>;
	return short && /^\S+$/.test(text) ? cut(text) : <bdi>{text}</bdi>;
}

/** The command that says more. */
const MoreOf = ({ command }: { readonly command: string }) => (
	<>
		{actionsIn(`\`${command}\``).map(({ text, address }) => (
			<a href={address}>{text}</a>
		))}
	</>
);

function wordOf(field: string, text: string): string {
	if (field === 'account') return labelOf(text);
	if (REASONED.has(field)) return REASONS[text] ?? statusWord(text);
	return STATES.has(field) ? statusWord(text) : text;
}

/** `Emergency` of EMERGENCY. */
export const statusWord = (status: string): string =>
	/^[A-Z]+$/.test(status) ? status.charAt(0) + status.slice(1).toLowerCase() : status;

const truthOf = (field: string, value: boolean): string =>
	SWITCHES.has(field) ? (value ? 'on' : 'off') : value ? 'yes' : 'no';

function stateOf(field: string, value: unknown, word: string) {
	const tone = toneOf(field, value);
	return tone === null ? <span>{word}</span> : <State tone={TONES[tone]} word={word} />;
}

/** An id is its beginning; another word without blanks keeps both ends. */
function cut(text: string): Child {
	const id = shortIds(text);
	if (id !== text) return <code title={text}>{id}</code>;
	return text.length <= LONG ? <bdi>{text}</bdi> : <code title={text}>{`${text.slice(0, 10)}…${text.slice(-6)}`}</code>;
}

export const Copied = ({ label, text }: { readonly label: string; readonly text: string }) => (
	<span class="row">
		<code>{text}</code>
		<CopyButton value={text} label={label} />
	</span>
);

/** A record on one line: `Smallest order, US dollars: 40 → 41; Name: Acme`. */
export function factsText(record: Row): string {
	const fields = Object.keys(record);
	if (fields.length === 2 && 'from' in record && 'to' in record)
		return `${plainText(record['from'])} → ${plainText(record['to'])}`;
	return fields.map((field) => `${labelOf(field)}: ${plainText(record[field])}`).join('; ');
}

function plainText(value: unknown): string {
	if (isEmpty(value)) return '–';
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (Array.isArray(value)) return value.map(plainText).join(', ');
	return isRow(value) ? factsText(value) : String(value);
}
