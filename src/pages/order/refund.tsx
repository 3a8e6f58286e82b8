/** The payer asks for the coins back: to the refund address of the order, which nobody can change here. */
import type { RefundAnswer } from '../../orders/refund-answer.ts';
import type { PayerOrder } from '../../payer/order.ts';
import { Card, Note, Send, Time } from '../parts/parts.tsx';
import { useSay } from '../parts/speech.tsx';
import type { MessageKey } from '../say.ts';
import { DeedForm } from './deed.tsx';

interface Props {
	readonly shown: PayerOrder;
	readonly token: string | null;
	/** Null where none was asked for just now. */
	readonly refund: RefundAnswer | null;
}

const REFUSED: Readonly<Partial<Record<RefundAnswer, MessageKey>>> = {
	paid: 'refund.paid',
	nothing: 'refund.nothing',
	moved: 'refund.moved',
};

export function Refund({ shown, token, refund }: Props) {
	const say = useSay();
	const { order, mayAskRefund, refundAskedAt } = shown;
	const refused = refund === null ? undefined : REFUSED[refund];
	if (refused)
		return (
			<Note tone="warn" alert>
				<p>{say(refused)}</p>
			</Note>
		);
	if (shown.refund?.state === 'underway') return null;
	if (refundAskedAt !== null)
		return (
			<Note tone="plain">
				<p>
					<b>{say('refund.asked')}</b>
				</p>
				<p>{say.rich('refund.askedNext', { time: <Time at={refundAskedAt} /> })}</p>
			</Note>
		);
	if (!mayAskRefund) return null;
	return (
		<Card title={say('refund.title')}>
			<DeedForm id={order.id} token={token} action="refund">
				<p>{say('refund.hint')}</p>
				<Send class="plain" text={say('refund.send')} />
			</DeedForm>
		</Card>
	);
}
