/** The rows of the book's tables, from the figures. */
import { CALLS, type CallFigure } from './figures.ts';
import { beyondAllowance, monthUsd, PRICES, priceOf, type Unit } from './prices.ts';
import { idleMonth, monthWith, thousandOrders } from './usage.ts';

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Two significant figures at least; nothing is rounded to zero that is not. */
export function amount(units: number): string {
	const short = (by: number): string => String(Number((units / by).toPrecision(units / by >= 100 ? 3 : 2)));
	if (units >= 1_000_000_000) return `${short(1_000_000_000)} G`;
	if (units >= 1_000_000) return `${short(1_000_000)} M`;
	return units >= 10_000 ? `${short(1_000)} k` : short(1);
}

const LEAST_USD = 0.00001;

function usd(dollars: number): string {
	if (dollars === 0) return '0';
	if (dollars < LEAST_USD) return '< 0.00001';
	return dollars >= 0.1 ? dollars.toFixed(2) : amount(dollars);
}

const UNITS = Object.keys(PRICES) as Unit[];

/** An anonymous call asks the gate of its own network, which is near it. */
const OPEN = new Set([
	'currencies',
	'pairs',
	'assets',
	'pairLimits',
	'status',
	'rates',
	'floatRates',
	'bestChangeRates',
	'fixedFloatRates',
	'plainRates',
]);

/** Round trips that the Worker waits for and that go to where the service is. */
export const farOf = (id: string, { gate, database }: CallFigure): number =>
	OPEN.has(id) ? database : gate + database;

export const callRows = (): string[] =>
	Object.entries(CALLS).map(([id, figure]) => {
		const { gate, database, gateDatabase, rowsRead, rowsWritten, kvReads } = figure;
		return row(`\`${id}\``, gate, database, gateDatabase, kvReads, rowsRead, rowsWritten, farOf(id, figure));
	});

export function unitRows(): string[] {
	const [idle, thousand] = [idleMonth(), thousandOrders()];
	return UNITS.map((unit) =>
		row(
			PRICES[unit].text,
			amount(PRICES[unit].included),
			amount(idle[unit]),
			usd(beyondAllowance(unit, idle[unit])),
			amount(thousand[unit]),
			usd(priceOf(unit, thousand[unit])),
		),
	);
}

export const totalRow = (): string => {
	const thousand = thousandOrders();
	const all = UNITS.reduce((sum, unit) => sum + priceOf(unit, thousand[unit]), 0);
	return row('all (idle with the 5 of the plan)', '–', '–', usd(monthUsd(idleMonth())), '–', usd(all));
};

const VOLUMES = [0, 10_000, 100_000, 1_000_000];

export const volumeRows = (): string[] =>
	VOLUMES.map((orders) =>
		row(orders.toLocaleString('en').replaceAll(',', ' '), monthUsd(monthWith(orders)).toFixed(0)),
	);
