/** The forms of an order's page, by which a reader asks for something, and the files that answer two of them. */
import type { Child } from 'hono/jsx';
import type { OwnFile } from '../../ports/solvency.ts';
import { Send } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import { pathOf, savedAs } from './words.ts';

interface FormProps {
	readonly id: string;
	/** Without JavaScript the form carries the token; null where the script sends it. */
	readonly token: string | null;
	readonly action: 'exchange' | 'named' | 'refund' | 'promise' | 'proof';
	readonly children: Child;
}

export const DeedForm = ({ id, token, action, children }: FormProps) => (
	<form method="post" action={pathOf(id, useSay())} data-send>
		<input type="hidden" name="action" value={action} />
		{token !== null && <input type="hidden" name="token" value={token} />}
		{children}
	</form>
);

/** `off`: no proofs are published. `ask`: it was not asked for just now. `none`: the newest proof has nothing of the order. */
export type ShownProof = 'off' | 'ask' | 'none' | OwnFile;

/** The page gives them and does not check them, for they come from whom they would check (book: verify, solvency). */
const FILES = {
	promise: { name: 'promise', none: 'promise.none', save: 'promise.save', hint: 'promise.hint', ask: 'promise.ask' },
	proof: { name: 'solvency', none: 'solvency.none', save: 'solvency.save', hint: 'solvency.hint', ask: 'solvency.ask' },
} as const;

interface FileProps extends Omit<FormProps, 'action' | 'children'> {
	readonly action: keyof typeof FILES;
	readonly file: 'ask' | 'none' | object;
}

export function SignedFile({ id, token, action, file }: FileProps) {
	const say = useSay();
	const { name, none, save, hint, ask } = FILES[action];
	if (file === 'none')
		return (
			<p class="small" role="alert">
				{say(none)}
			</p>
		);
	if (file !== 'ask')
		return (
			<p class="row">
				<a class="button plain" href={savedAs(file)} download={`${name}-${id}.json`}>
					{say(save)}
				</a>
			</p>
		);
	return (
		<DeedForm id={id} token={token} action={action}>
			<p class="small soft">{say(hint)}</p>
			<Send class="plain" text={say(ask)} />
		</DeedForm>
	);
}
