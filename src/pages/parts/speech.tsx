/** The language of a page, for all parts in it: English where nothing else is said. */
import { type Child, createContext, useContext } from 'hono/jsx';
import { LANGUAGE_TAGS, LANGUAGES } from '../../partners/languages.ts';
import { type Say, sayEnglish } from '../say.ts';

const Speech = createContext<Say | null>(null);

export const useSay = (): Say => useContext(Speech) ?? sayEnglish();

export const spoken = (say: Say, page: Child) => <Speech.Provider value={say}>{page}</Speech.Provider>;

interface Props {
	/** Where a page was sent by a form, it is sent again with what the form had. */
	readonly post?: Readonly<Record<string, string>> | undefined;
}

/** The reader's choice, each language by its own name. `choice.ts` keeps it. */
export function Languages({ post }: Props) {
	const say = useSay();
	return (
		<details class="languages">
			<summary>
				<span class="hidden">{say('layout.language')}: </span>
				{LANGUAGES[say.language]}
			</summary>
			<form method={post ? 'post' : 'get'} data-languages>
				{Object.entries(post ?? {}).map(([name, value]) => (
					<input type="hidden" name={name} value={value} />
				))}
				{LANGUAGE_TAGS.map((tag) => (
					<button
						type="submit"
						name="choose"
						value={tag}
						lang={tag}
						class="link"
						aria-current={tag === say.language ? 'true' : undefined}
					>
						{LANGUAGES[tag]}
					</button>
				))}
			</form>
		</details>
	);
}
