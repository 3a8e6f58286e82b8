/** `/cabinet/limits`: the weight of the last minute, and what the operator has set. */
import { Card, Facts } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { type CabinetContext, placesOf } from './env.ts';
import { cabinetPage } from './frame.tsx';
import { codesOf, partnerOf } from './store.ts';

const PATH = '/cabinet/limits';

export async function showLimits(c: CabinetContext): Promise<Response> {
	const { session } = c.var;
	const { db } = placesOf(c);
	const [partner, codes, used] = await Promise.all([
		partnerOf(db, session.partnerId),
		codesOf(db, session.partnerId),
		c.env.desk.weightUsed(session.partnerId),
	]);
	const limit = partner.weightPerMinute;
	const said = `${grouped(String(used))} of ${grouped(String(limit))}`;
	return cabinetPage(
		c,
		{ title: 'Limits', heading: <h1>{`${said} used in the last minute`}</h1>, path: PATH, width: 'text' },
		<>
			<Card title="Weight">
				<progress max={Math.max(limit, 1)} value={Math.min(used, limit)} aria-label="Weight used">
					{said}
				</progress>
				<p>
					Each signed call has a weight; those of the last 60 seconds together stay within your limit. Above it a call
					is refused with code 5, and <code>Retry-After</code> says when to come back. Pages of this cabinet cost
					nothing.
				</p>
				<p>
					<a href={PATH}>Look again</a>
				</p>
			</Card>
			<Card title="Set by the operator">
				<Facts
					facts={{
						'Weight a minute': grouped(String(limit)),
						'Reference codes': `${codes.length} of ${partner.maxRefCodes}`,
						Timestamps: partner.requireTimestamp ? 'required in every signed call' : 'not required',
					}}
				/>
			</Card>
		</>,
	);
}
