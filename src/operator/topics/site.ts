/** `site …`: the settings of the whole service. */
import * as z from 'zod/mini';
import { BPS, MAX_AFFTAX_BPS, MAX_BASE_FEE_BPS } from '../../money/bps.ts';
import { AUTO_PAYOUTS } from '../../partners/partner.ts';
import { onOff, text, whole, wholeOrNone } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

export const site = topicOf('the whole service: maintenance, daily cap, base fee, deposit window', {
	show: declare({
		summary: 'the settings of the whole service, and what today has used of its cap and of the signer’s',
		button: 'See the settings',
		reads: true,
	}),
	update: declare({
		summary: 'change settings of the whole service; what is not named stays',
		button: 'Change the setting',
		// The bounds are those that the schema of D1 states.
		options: {
			maintenance: onOff('on refuses new orders; those that exist go on (at first off)'),
			dailyCapUsd: whole([0, 1_000_000_000_000], 'what a UTC day’s orders may be worth together (at first 1000000)'),
			baseFeeBps: whole([0, MAX_BASE_FEE_BPS], 'the house’s margin, 0 to 2000 basis points (at first 50)'),
			depositWindowSeconds: whole(
				[60, 86_400],
				'how long a new order waits for its deposit, 60 to 86400 (at first 3600)',
			),
			unpaidShareBps: whole(
				[0, BPS],
				'of the daily cap, the share that one partner’s unpaid orders may take, basis points (at first 2500)',
			),
			archiveAfterDays: wholeOrNone(
				[31, 3650],
				'finished orders move to the archive this many days after their deposit window, 31 to 3650, where a bucket is bound; none: never (at first 90)',
			),
			webhookBodyDays: whole(
				[1, 30],
				'days until the body of a delivered webhook is dropped, 1 to 30; then it cannot be sent again (at first 30)',
			),
			decisionHours: wholeOrNone(
				[1, 720],
				'a deposit that waits for a decision goes back by itself after so many hours, 1 to 720; none: it never does (at first 72)',
			),
			askedRefundUsd: whole(
				[0, 1_000_000],
				'a refund that a payer or partner asks for goes back by itself up to this worth, US dollars; 0: you plan each (at first 0)',
			),
			reserveHours: wholeOrNone(
				[1, 720],
				'attention names a hot wallet whose free coins last fewer hours, 1 to 720, at the pace of the last day; none: it never does (at first 24)',
			),
			sweepShareBps: whole(
				[1, 3333],
				'moving a deposit may cost at most this share of a minimum, 1 to 3333 basis points (at first 200)',
			),
			showsSecrets: onOff('may partners view their secrets in the cabinet, each time with their passkey (at first on)'),
			ownMarginBps: whole(
				[0, MAX_AFFTAX_BPS],
				'the highest default margin that partners may set in the cabinet, 0 to 2000 basis points (at first 2000)',
			),
			ownPayouts: text(
				'WHEN',
				z.enum(AUTO_PAYOUTS),
				'how often at most partners may have earnings paid by themselves, set in the cabinet; none: only you set it (at first weekly)',
				{ choices: AUTO_PAYOUTS },
			),
			ownPayoutMinUsd: whole(
				[0, 1_000_000],
				'the lowest minimum that partners may set for such payouts, whole US dollars (at first 20)',
			),
			provesSolvency: onOff('prove and publish each hour what is owed and what the wallets hold (at first off)'),
			provesMonero: onOff(
				'in that proof Monero too, which shows every unspent coin that was paid to you (at first off)',
			),
		},
		needsOption: true,
	}),
});
