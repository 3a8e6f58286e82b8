/** Notes on the overview, one for each thing that waits for the partner; `partner.attention` tells of the same things. */
import type { AttentionReason, PartnerWait } from '../../ports/desk.ts';
import { Note, Time } from '../parts/parts.tsx';
import { useSession, WAITING } from './frame.tsx';
import { counted } from './words.ts';

interface Words {
	readonly text: string;
	readonly path: (subject: string) => string;
	readonly link: string;
}

const WORDS: Readonly<Record<Exclude<AttentionReason, 'order_undecided'>, Words>> = {
	refund_asked: {
		text: 'A customer asked for a refund.',
		path: (id) => `/cabinet/orders/${encodeURIComponent(id)}`,
		link: 'See the order',
	},
	endpoint_failing: {
		text: 'A webhook endpoint of yours fails.',
		path: () => '/cabinet/webhooks',
		link: 'See its answers',
	},
	payout_waits: {
		text: 'Your automatic payout cannot be made now. It is tried again each hour.',
		path: () => '/cabinet/earnings',
		link: 'See where it would go',
	},
	key_expires: { text: 'A key of yours ends within seven days.', path: () => '/cabinet/keys', link: 'See the keys' },
};

/** Notes on the overview. The orders to decide are one note. */
const MOST_SHOWN = 10;

type Shown = PartnerWait & { readonly reason: keyof typeof WORDS };
const isShown = (wait: PartnerWait): wait is Shown => wait.reason !== 'order_undecided';

export function Waits({ waits }: { readonly waits: readonly PartnerWait[] }) {
	const { waiting } = useSession();
	return (
		<>
			{waiting > 0 && (
				<Note tone="warn">
					<p>
						{`${counted(waiting, 'order waits', 'orders wait')} for your decision. `}
						<a href={WAITING}>Decide</a>
					</p>
				</Note>
			)}
			{waits
				.filter(isShown)
				.slice(0, MOST_SHOWN)
				.map(({ reason, subject, since }) => {
					const { text, path, link } = WORDS[reason];
					return (
						<Note tone="warn">
							<p>
								{text}{' '}
								{reason === 'key_expires' ? null : (
									<>
										Since <Time at={since} />.{' '}
									</>
								)}
								<a href={path(subject)}>{link}</a>
							</p>
						</Note>
					);
				})}
		</>
	);
}
