/**
 * How long a reserve lasts when flow is one-sided, and what that earns, by how far the base fee may lean: half a year of
 * visitors, priced by the code that quotes. `npm run simulate:drift` prints the table of the book (networks, "Prices that
 * lean"). Nobody refills the reserve, and a deposit is in it at once. The same visitors come in each run.
 *
 * At the operator's base fee every second visitor swaps. Each basis point above it loses a share of these, and each one
 * below it wins as many.
 */
import { assetOf } from '../../src/catalog/assets.ts';
import { BPS } from '../../src/money/bps.ts';
import { decimal, divideDown, plain, ZERO } from '../../src/money/decimal.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { feesOf } from '../../src/pricing/lean.ts';
import { lastPrice, type Market } from '../../src/pricing/market.ts';
import { effectiveRate, payoutAmount } from '../../src/pricing/quote.ts';
import { Random } from '../cast/random.ts';
import { marketOf, NOW } from '../support/rows.ts';

const [DOLLAR, COIN] = [assetOf('USDTERC20'), assetOf('LTC')];
const COIN_USD = 100;
const TARGET = '2400';
const DAYS = 180;
const VISITORS_A_DAY = 40;
/** Whole US dollars of one swap, inclusive. */
const [LEAST_USD, MOST_USD] = [200, 1_800];
const BASE_FEE_BPS = 50;

interface Drift {
	/** The bound of the surcharge and of the discount. */
	readonly leanBps: number;
	/** Of a hundred visitors so many take coins out of the reserve; the others bring some. */
	readonly percentOut: number;
	/** Ten-thousandths of the demand that one basis point costs. */
	readonly lostBps: number;
}

interface Months {
	/** The first day on which an order could not be paid, from 1; null where all could. */
	readonly emptyOnDay: number | null;
	/** Whole US dollars, down: what the house earned in all. */
	readonly earnedUsd: number;
}

const DAY_ZERO = marketOf({ usd: { USDT: '1', LTC: String(COIN_USD) } });

function marketWith(free: bigint, leanBps: number): Market {
	const report = DAY_ZERO.networks[COIN.network];
	if (!report) throw new Error('no report');
	return {
		...DAY_ZERO,
		networks: { ...DAY_ZERO.networks, [COIN.network]: { ...report, reserves: { [COIN.code]: String(free) } } },
		settings: {
			...DAY_ZERO.settings,
			baseFeeBps: BASE_FEE_BPS,
			targets: { [COIN.code]: TARGET },
			leans: { [COIN.code]: { surchargeBps: leanBps, discountBps: leanBps } },
		},
	};
}

function months({ leanBps, percentOut, lostBps }: Drift): Months {
	const random = new Random(1);
	let free = toBaseUnits(TARGET, COIN.decimals);
	let earned = ZERO;
	let emptyOnDay: number | null = null;
	for (let day = 1; day <= DAYS; day++)
		for (let visitor = 0; visitor < VISITORS_A_DAY; visitor++) {
			const isOut = random.below(100) < percentOut;
			const usd = LEAST_USD + random.below(MOST_USD - LEAST_USD + 1);
			const drawn = random.below(2 * BPS);
			const market = marketWith(free, leanBps);
			const [from, to] = isOut ? [DOLLAR, COIN] : [COIN, DOLLAR];
			const { baseFeeBps } = feesOf(market, { from, to }, 0, NOW);
			if (drawn >= BPS - lostBps * (baseFeeBps - BASE_FEE_BPS)) continue;
			const [fromUsd, toUsd] = [lastPrice(market, from), lastPrice(market, to)];
			const paidIn = divideDown(decimal(String(usd)), fromUsd, from.precision);
			const paidOut = payoutAmount(paidIn, effectiveRate(fromUsd, toUsd, baseFeeBps), ZERO, to.precision);
			const units = isOut ? -toBaseUnits(plain(paidOut), COIN.decimals) : toBaseUnits(plain(paidIn), COIN.decimals);
			if (free + units < 0n) {
				emptyOnDay ??= day;
				continue;
			}
			free += units;
			earned = earned.plus(paidIn.times(fromUsd).minus(paidOut.times(toUsd)));
		}
	return { emptyOnDay, earnedUsd: Math.floor(Number(plain(earned))) };
}

const LEANS = [0, 50, 100, 200];
const FLOWS = [60, 75, 100];
const LOST_BPS = [20, 50, 100];

/** The rows of the book's table: the flow, the bound, and for each demand the days that the reserve lasts and the earnings. */
export const driftRows = (): string[] =>
	FLOWS.flatMap((percentOut) => {
		const level = months({ leanBps: 0, percentOut, lostBps: 0 });
		return LEANS.map((leanBps) => {
			const cells = LOST_BPS.map((lostBps) =>
				cellOf(leanBps === 0 ? level : months({ leanBps, percentOut, lostBps }), level),
			);
			return `| ${percentOut} : ${100 - percentOut} | ${leanBps} | ${cells.join(' | ')} |`;
		});
	});

/** The factor to the reserve that does not lean, rounded down. */
function cellOf({ emptyOnDay, earnedUsd }: Months, level: Months): string {
	const factor = (Math.floor((10 * (emptyOnDay ?? DAYS)) / (level.emptyOnDay ?? DAYS)) / 10).toFixed(1);
	const lasts = emptyOnDay === null ? `over ${DAYS} (over ×${factor})` : `${emptyOnDay} (×${factor})`;
	return `${lasts}, ${earnedUsd} USD`;
}

if (import.meta.main) console.log(driftRows().join('\n'));
