/** The signed promise, as a file: the page gives it and does not check it, for it comes from whom it would check (book: verify). */
import type { PayerPromise } from '../../ports/desk.ts';
import { Send } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import { pathOf, savedAs } from './words.ts';

interface Props {
	readonly id: string;
	readonly token: string | null;
	readonly promise: PayerPromise | null;
}

export function SignedPromise({ id, token, promise }: Props) {
	const say = useSay();
	if (promise === 'none')
		return (
			<p class="small" role="alert">
				{say('promise.none')}
			</p>
		);
	if (promise)
		return (
			<p class="row">
				<a class="button plain" href={savedAs(promise)} download={`promise-${id}.json`}>
					{say('promise.save')}
				</a>
			</p>
		);
	return (
		<form method="post" action={pathOf(id, say)} data-send>
			<p class="small soft">{say('promise.hint')}</p>
			<input type="hidden" name="action" value="promise" />
			{token !== null && <input type="hidden" name="token" value={token} />}
			<Send class="plain" text={say('promise.ask')} />
		</form>
	);
}
