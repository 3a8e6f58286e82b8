/** A transaction's id, with its page in an explorer where there is one. */
import type { PayerOrder } from '../../payer/order.ts';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';

interface Props {
	readonly id: string;
	readonly shown: Pick<PayerOrder, 'explorers'>;
}

export const Transaction = ({ id, shown: { explorers } }: Props) => (
	<>
		<code>{shownPlain(id)}</code>
		{explorers[id] && (
			<>
				{' '}
				<a href={explorers[id]} target="_blank" rel="noopener noreferrer">
					{useSay()('details.explorer')}
				</a>
			</>
		)}
	</>
);
