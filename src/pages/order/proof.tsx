/** Where an order stands in what the service says that it owes, as a file: the page gives it and does not check it (book: solvency). */
import type { OwnFile } from '../../ports/solvency.ts';
import { Send } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import { pathOf, savedAs } from './words.ts';

/** `off`: no proofs are published. `ask`: it was not asked for just now. `none`: the newest proof has nothing of the order. */
export type ShownProof = 'off' | 'ask' | 'none' | OwnFile;

interface Props {
	readonly id: string;
	readonly token: string | null;
	readonly proof: ShownProof;
}

export function SolvencyProof({ id, token, proof }: Props) {
	const say = useSay();
	if (proof === 'off') return null;
	if (proof === 'none')
		return (
			<p class="small" role="alert">
				{say('solvency.none')}
			</p>
		);
	if (proof !== 'ask')
		return (
			<p class="row">
				<a class="button plain" href={savedAs(proof)} download={`solvency-${id}.json`}>
					{say('solvency.save')}
				</a>
			</p>
		);
	return (
		<form method="post" action={pathOf(id, say)} data-send>
			<p class="small soft">{say('solvency.hint')}</p>
			<input type="hidden" name="action" value="proof" />
			{token !== null && <input type="hidden" name="token" value={token} />}
			<Send class="plain" text={say('solvency.ask')} />
		</form>
	);
}
