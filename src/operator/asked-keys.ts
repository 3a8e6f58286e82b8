/**
 * The seal key as the operator Worker has it: its numbers, and the keeper to ask (`ports/keeper.ts`). Questions that come in
 * one turn of the loop go in one call, so a page of rows costs no more calls than one row.
 */
import type { AskedKeys, SealClaim } from '../crypto/seals.ts';
import type { HeldRing, KeeperRpc } from '../ports/keeper.ts';

/** A seal's text may be long: a piece of the books has a thousand orders. One call takes 32 MiB. */
const MOST_CHARACTERS = 8_000_000;

export function askedKeys(ring: HeldRing, keeper: Pick<KeeperRpc, 'seal' | 'hold' | 'reseal'>): AskedKeys {
	const lengthOf = ({ text }: SealClaim) => text.length;
	return {
		...ring,
		asker: {
			seal: gathered(
				(texts) => keeper.seal(texts),
				(text: string) => text.length,
			),
			holds: gathered((claims) => keeper.hold(claims), lengthOf),
			resealed: gathered((claims) => keeper.reseal(claims), lengthOf),
		},
	};
}

interface Call<Question, Answer> {
	readonly questions: Question[];
	length: number;
	readonly answers: Promise<readonly Answer[]>;
}

function gathered<Question, Answer>(
	ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
	lengthOf: (question: Question) => number,
): (question: Question) => Promise<Answer> {
	let open: Call<Question, Answer> | null = null;
	const begin = (): Call<Question, Answer> => {
		const questions: Question[] = [];
		const leave = () => {
			if (open?.questions === questions) open = null;
			return ask(questions);
		};
		return { questions, length: 0, answers: new Promise<void>((turn) => setTimeout(turn)).then(leave) };
	};
	return async (question) => {
		if (open && open.length + lengthOf(question) > MOST_CHARACTERS) open = null;
		open ??= begin();
		const call = open;
		call.length += lengthOf(question);
		const place = call.questions.push(question) - 1;
		return (await call.answers)[place] as Answer;
	};
}
