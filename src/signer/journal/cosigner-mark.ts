/**
 * The co-signer's journal as this judge saw it last. One that is older, or another one, does not know what the co-signer has
 * signed: it was set back, or there are two. A person who knows why says so in COSIGNER_JOURNAL, which counts once.
 */
import type { JournalMark } from '../../ports/cosigner.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { JournalPart } from './part.ts';

const KEY = 'cosigner';

interface Known extends JournalMark {
	/** The last text of COSIGNER_JOURNAL that counted. */
	readonly accepted: string;
}

export class CosignerMark extends JournalPart {
	known(): Known | null {
		return this.storage.kv.get<Known>(KEY) ?? null;
	}

	/** The mark that the co-signer is told; null where `said`, COSIGNER_JOURNAL, lets another journal go on. */
	seen(said = ''): Known | null {
		const known = this.known();
		return said === '' || said === known?.accepted ? known : null;
	}

	/**
	 * Notes the mark that came with an answer; false where it is of an older journal, or of another one. `before`: what was
	 * known when the co-signer was asked, because answers may overtake each other. `said`: COSIGNER_JOURNAL.
	 */
	note(mark: JournalMark, before: Known | null, said: string): boolean {
		const isAccepted = said !== before?.accepted && said === textOf({ ...mark, entries: entriesIn(said, mark) });
		const goesOn = before === null || (before.begunAt === mark.begunAt && before.entries <= mark.entries);
		if (!goesOn && !isAccepted) return false;
		const now = this.known();
		const entries = goesOn && now?.begunAt === mark.begunAt ? Math.max(now.entries, mark.entries) : mark.entries;
		const accepted = goesOn ? (now?.accepted ?? '') : said;
		this.storage.kv.put<Known>(KEY, { begunAt: mark.begunAt, entries, accepted });
		return true;
	}
}

/**
 * In the co-signer: why it writes nothing where the signer has seen more of its journal, or another one; null where it goes
 * on. Each new entry would bring it nearer to the journal that was lost, until nobody could tell them apart.
 */
export function setBackRefusal(own: JournalMark, seen: JournalMark | null): SignerRefusal | null {
	const goesOn = seen === null || (seen.begunAt === own.begunAt && seen.entries <= own.entries);
	return goesOn ? null : { kind: 'cosigner-set-back', detail: textOf(own) };
}

/** The journal's beginning, and how many entries it has. */
export const textOf = ({ begunAt, entries }: JournalMark): string => `${begunAt}/${entries}`;

/** As `said` has them, at most those of the mark: it has grown since. */
function entriesIn(said: string, { entries }: JournalMark): number {
	const told = Number(said.split('/')[1]);
	return Number.isSafeInteger(told) ? Math.min(told, entries) : entries;
}
