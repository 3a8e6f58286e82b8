/** The smaller parts: state, card, facts, figure, note, field, time line, empty and failing states. */
import type { Child } from 'hono/jsx';

/** A state is never a colour alone, but a word, an icon and a colour. */
export type Tone = 'plain' | 'busy' | 'good' | 'warn' | 'bad';

/** A clock, a half circle, a tick, a triangle, a cross. */
const ICONS: Readonly<Record<Tone, string>> = {
	plain: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M8 4.5V8l2.5 1.5',
	busy: 'M8 1.5a6.5 6.5 0 0 1 6.5 6.5M1.5 8A6.5 6.5 0 0 0 8 14.5',
	good: 'M2.5 8.5l3.5 3.5 7.5-8',
	warn: 'M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.6v.2',
	bad: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
};

export const Icon = ({ tone }: { readonly tone: Tone }) => (
	<svg
		viewBox="0 0 16 16"
		aria-hidden="true"
		fill="none"
		stroke="currentColor"
		stroke-width="1.8"
		stroke-linecap="round"
		stroke-linejoin="round"
	>
		<path d={ICONS[tone]} />
	</svg>
);

export const State = ({ tone, word }: { readonly tone: Tone; readonly word: string }) => (
	<span class={`state ${tone}`}>
		<Icon tone={tone} />
		{word}
	</span>
);

interface CardProps {
	readonly title?: string;
	/** The one thing of a page that everybody looks for. */
	readonly loud?: boolean;
	readonly children: Child;
}

export const Card = ({ title, loud = false, children }: CardProps) => (
	<section class={loud ? 'card loud' : 'card'} aria-label={title}>
		{title && <h2>{title}</h2>}
		{children}
	</section>
);

/** Names and what they are; a fact that is null is left out. */
export const Facts = ({ facts }: { readonly facts: Readonly<Record<string, Child>> }) => (
	<dl class="facts">
		{Object.entries(facts).map(
			([name, value]) =>
				value !== null && value !== undefined && value !== false && [<dt>{name}</dt>, <dd>{value}</dd>],
		)}
	</dl>
);

export const Figure = ({ value, label }: { readonly value: Child; readonly label: string }) => (
	<p class="figure">
		<b>{value}</b>
		<span>{label}</span>
	</p>
);

interface NoteProps {
	readonly tone?: Tone;
	readonly alert?: boolean;
	readonly children: Child;
}

/** A text that somebody must read: `role="alert"` where it answers what they just did. */
export const Note = ({ tone = 'plain', alert, children }: NoteProps) => (
	<div class={`note ${tone}`} role={alert ? 'alert' : undefined}>
		{children}
	</div>
);

/** Why nothing was done, where that is so. */
export const Problem = ({ text }: { readonly text: string | null | undefined }) =>
	text ? (
		<Note tone="bad" alert>
			{text}
		</Note>
	) : null;

export const Section = ({ title, children }: { readonly title: string; readonly children: Child }) => (
	<section class="stack">
		<h2>{title}</h2>
		{children}
	</section>
);

interface SendProps {
	readonly text: string;
	readonly class?: string | undefined;
	readonly disabled?: boolean;
	readonly 'aria-label'?: string | undefined;
}

/** Sends the form that it is in. */
export const Send = ({ text, ...rest }: SendProps) => (
	<button type="submit" {...rest}>
		<span>{text}</span>
	</button>
);

interface GoProps {
	readonly to: string;
	readonly text: string;
	/** The button that leads on: most people press it. */
	readonly main?: boolean;
}

/** A link that looks like a button. */
export const Go = ({ to, text, main = false }: GoProps) => (
	<a class={main ? 'button' : 'button plain'} href={to}>
		<span>{text}</span>
	</a>
);

interface FieldProps {
	readonly name: string;
	readonly label: string;
	readonly hint?: string;
	readonly error?: string | undefined;
	readonly value?: string;
	readonly type?: string;
	readonly required?: boolean;
	readonly autocomplete?: string;
	readonly inputmode?: 'decimal' | 'email' | 'numeric' | 'url';
	readonly maxlength?: number;
	/** A choice instead of a text: its values and their words. */
	readonly choices?: Readonly<Record<string, string>>;
}

/** A field with its label, what it means, and what is wrong with it. */
export function Field({ name, label, hint, error, choices, value = '', type = 'text', ...rest }: FieldProps) {
	const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined;
	const shared = {
		id: name,
		name,
		'aria-describedby': described,
		'aria-invalid': error ? ('true' as const) : undefined,
	};
	return (
		<div class="field">
			<label for={name}>{label}</label>
			{choices ? (
				<select {...shared}>
					{Object.entries(choices).map(([key, words]) => (
						<option value={key} selected={key === value}>
							{words}
						</option>
					))}
				</select>
			) : (
				<input {...shared} {...rest} type={type} value={value} />
			)}
			{hint && <small id={`${name}-hint`}>{hint}</small>}
			{error && (
				<span class="error" id={`${name}-error`}>
					{error}
				</span>
			)}
		</div>
	);
}

/** A field that no browser fills in by itself. */
export const UNFILLED = { autocomplete: 'off' } as const;

interface FieldsProps {
	readonly fields: readonly FieldProps[];
	/** By the names of the fields. */
	readonly values?: Readonly<Record<string, string>>;
	readonly errors?: Readonly<Partial<Record<string, string>>>;
}

/** The fields of a form, below each other. */
export const Fields = ({ fields, values = {}, errors = {} }: FieldsProps) => (
	<>
		{fields.map((field) => (
			<Field value={values[field.name] ?? ''} error={errors[field.name]} {...field} />
		))}
	</>
);

export interface Moment {
	readonly text: Child;
	/** Unix milliseconds; null for what has not happened yet. */
	readonly at: number | null;
	readonly detail?: Child;
	readonly tone?: Tone;
}

export const TimeLine = ({ moments }: { readonly moments: readonly Moment[] }) => (
	<ol class="timeline">
		{moments.map(({ text, at, detail, tone = '' }) => (
			<li class={at === null ? 'next' : tone}>
				<span>{text}</span>
				{at !== null && <Time at={at} />}
				{detail && <small>{detail}</small>}
			</li>
		))}
	</ol>
);

interface TimeProps {
	/** Unix milliseconds. */
	readonly at: number;
	readonly exact?: boolean;
	/** With the seconds and the zone. */
	readonly zoned?: boolean;
}

/** The exact time in UTC; `time.js` shows it in the reader's zone, and below an hour as relative, unless it is `exact`. */
export const Time = ({ at, exact: isExact = false, zoned = false }: TimeProps) => {
	const exact = new Date(at).toISOString();
	return (
		<time
			datetime={exact}
			data-exact={isExact ? '' : undefined}
			data-zoned={zoned ? '' : undefined}
			title={`${exact.slice(0, 19).replace('T', ' ')} UTC`}
		>{`${exact.slice(0, 16).replace('T', ' ')} UTC`}</time>
	);
};
