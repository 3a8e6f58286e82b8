/**
 * What a month of an idle service and 1 000 orders use, from the counted figures and what is assumed beside them: a poll of
 * a real node waits, and partners ask more than once.
 */
import { NETWORKS } from '../../../src/catalog/networks.ts';
import {
	ADDRESS_ROWS_WRITTEN,
	type Asked,
	CALLS,
	type CallFigure,
	COUNTED_STOCK,
	GATE_ROWS_WRITTEN,
	IDLE,
	ORDER,
} from './figures.ts';
import type { Usage } from './prices.ts';

export const MONTH_SECONDS = 30 * 86_400;
const REFRESH_SECONDS = 10;
export const UPKEEP_SECONDS = 10;
/** While nothing is open (`agent/pace.ts`), and every second poll has upkeep then. */
export const IDLE_POLL_SECONDS = 60;
export const IDLE_UPKEEP_SECONDS = 2 * IDLE_POLL_SECONDS;
const MINUTE_SECONDS = 60;
/** An object is charged with this memory, whatever it uses. */
const OBJECT_GIGABYTES = 0.128;
const GIGABYTE = 1_000_000_000;

/** Assumed, not counted: the book says so. */
export const ASSUMED = {
	/** Of one order: how often its partner calls. */
	calls: { price: 5, create: 1, qr: 1, order: 10 },
	/** What a poll waits for its node, and RateBook for its sources. */
	waitSeconds: 0.3,
	/** What any other request of an object takes. */
	objectSeconds: 0.01,
	/** So long an order keeps both its networks at the usual pace, together; one that is never paid, its window. */
	busyMinutes: 40,
	/** `ADDRESS_POOL`, of each network. */
	stock: 600,
	cpuMilliseconds: 5,
	cronCpuMilliseconds: 50,
	orderBytes: 10_600,
	journalBytes: 3_000,
} as const;

const ORDERS = 1_000;

const durationOf = (waits: number, requests: number): number =>
	(waits * ASSUMED.waitSeconds + requests * ASSUMED.objectSeconds) * OBJECT_GIGABYTES;

const NETWORK_COUNT = Object.keys(NETWORKS).length;

/** The part of the time in which a network has something open, where orders come by chance and are spread evenly. */
export const busyShare = (ordersOfMonth: number): number =>
	1 - Math.exp((-ordersOfMonth * ASSUMED.busyMinutes * MINUTE_SECONDS) / (NETWORK_COUNT * MONTH_SECONDS));

/** All networks on nodes, at the pace of the catalog for this share of the time. */
function restingMonth(busy: number): Usage {
	const mean = (usual: number, idle: number) => MONTH_SECONDS * (busy / usual + (1 - busy) / idle);
	const polls = Object.values(NETWORKS).reduce((sum, { pollSeconds }) => sum + mean(pollSeconds, IDLE_POLL_SECONDS), 0);
	const upkeeps = NETWORK_COUNT * mean(UPKEEP_SECONDS, IDLE_UPKEEP_SECONDS);
	const refreshes = MONTH_SECONDS / REFRESH_SECONDS;
	const minutes = MONTH_SECONDS / MINUTE_SECONDS;
	const sum = (what: keyof Asked): number =>
		polls * IDLE.poll[what] + upkeeps * IDLE.upkeep[what] + refreshes * IDLE.refresh[what] + minutes * IDLE.cron[what];
	const waits = polls + refreshes;
	return {
		// The API Worker's cron and the operator Worker's.
		requests: 2 * minutes,
		cpu: minutes * ASSUMED.cronCpuMilliseconds,
		objects: sum('objects'),
		duration: durationOf(waits, sum('objects') - waits),
		rowsRead: sum('rowsRead'),
		rowsWritten: sum('rowsWritten'),
		storage: 0,
		// By far the most of them count the stock.
		objectRowsRead: (sum('objectRowsRead') * ASSUMED.stock) / COUNTED_STOCK,
		objectRowsWritten: sum('objectRowsWritten'),
		objectStorage: 0,
		kvReads: 0,
		kvWrites: sum('kvWrites'),
		queue: 0,
		logs: sum('lineBytes') / GIGABYTE,
		points: sum('points'),
	};
}

export const idleMonth = (): Usage => restingMonth(0);

/** The write, the read and the deletion of each message. */
const OPERATIONS_OF_MESSAGE = 3;

export function thousandOrders(): Usage {
	const calls = Object.entries(ASSUMED.calls).map(([id, times]): [CallFigure, number] => {
		const figure = CALLS[id];
		if (!figure) throw new TypeError(`no figure of ${id}`);
		return [figure, times];
	});
	const ofCalls = (what: keyof CallFigure): number =>
		calls.reduce((sum, [figure, times]) => sum + figure[what] * times, 0);
	const made = calls.reduce((sum, [, times]) => sum + times, 0);
	const parts = Object.values(ORDER);
	const ofOrder = (what: keyof Asked): number => parts.reduce((sum, part) => sum + part[what], 0);
	const messages = ofOrder('messages');
	const objects = ofCalls('gate') + ofOrder('objects');
	const one: Usage = {
		// Each message may come in a batch of its own.
		requests: made + messages,
		cpu: (made + messages) * ASSUMED.cpuMilliseconds,
		objects,
		duration: durationOf(0, objects),
		rowsRead: ofCalls('rowsRead') + ofOrder('rowsRead'),
		rowsWritten: ofCalls('rowsWritten') + ofOrder('rowsWritten'),
		storage: ASSUMED.orderBytes / GIGABYTE,
		objectRowsRead: ofOrder('objectRowsRead'),
		objectRowsWritten: made * GATE_ROWS_WRITTEN + ADDRESS_ROWS_WRITTEN + ofOrder('objectRowsWritten'),
		objectStorage: ASSUMED.journalBytes / GIGABYTE,
		kvReads: ofCalls('kvReads'),
		kvWrites: ASSUMED.calls.qr,
		queue: messages * OPERATIONS_OF_MESSAGE,
		logs: ofOrder('lineBytes') / GIGABYTE,
		points: made + ofOrder('points'),
	};
	return Object.fromEntries(Object.entries(one).map(([unit, units]) => [unit, units * ORDERS])) as unknown as Usage;
}

/** A month with so many orders. */
export function monthWith(orders: number): Usage {
	const [idle, thousand] = [restingMonth(busyShare(orders)), thousandOrders()];
	return Object.fromEntries(
		(Object.keys(idle) as (keyof Usage)[]).map((unit) => [unit, idle[unit] + (thousand[unit] * orders) / ORDERS]),
	) as unknown as Usage;
}
