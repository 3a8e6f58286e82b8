/**
 * What the service asks of the platform, as the tests counted it (`test/operator/platform.test.ts`, `test/nodes/treasury.test.ts`):
 * they fail where it is no longer so. The tables of the book follow from these figures (`test/checks/costs.test.ts`).
 */

/** Of one call to a warm service: round trips, and rows of D1. */
export interface CallFigure {
	/** Calls of the partner's gate; of an anonymous call, of the gate of the caller's network. */
	readonly gate: number;
	/** Round trips from the Worker to D1, one after the other; a batch is one. */
	readonly database: number;
	/** From the gate to D1. */
	readonly gateDatabase: number;
	readonly rowsRead: number;
	readonly rowsWritten: number;
	readonly kvReads: number;
	/** Agents that are woken; the answer does not wait for it. */
	readonly agent: number;
}

const NOTHING: CallFigure = {
	gate: 1,
	database: 0,
	gateDatabase: 0,
	rowsRead: 0,
	rowsWritten: 0,
	kvReads: 0,
	agent: 0,
};
const ONE_CODE: CallFigure = { ...NOTHING, gate: 2, database: 1, gateDatabase: 1, rowsRead: 5, rowsWritten: 1 };

/** By the endpoint's id. What may be called without a signature is, but for `price`; `orders` of two orders, `listDeliveries` of no event. */
export const CALLS: Readonly<Record<string, CallFigure>> = {
	currencies: NOTHING,
	pairs: NOTHING,
	assets: NOTHING,
	price: NOTHING,
	pairLimits: NOTHING,
	create: { ...NOTHING, database: 1, rowsRead: 17, rowsWritten: 19 },
	order: { ...NOTHING, database: 1, rowsRead: 1 },
	status: { ...NOTHING, database: 1, rowsRead: 1 },
	orders: { ...NOTHING, database: 1, rowsRead: 8 },
	emergency: { ...NOTHING, database: 2, rowsRead: 3, rowsWritten: 1, agent: 1 },
	qr: { ...NOTHING, database: 1, rowsRead: 1, kvReads: 1 },
	validateAddress: NOTHING,
	createCode: { ...ONE_CODE, rowsRead: 7, rowsWritten: 3 },
	listCodes: { ...NOTHING, database: 1, rowsRead: 4 },
	disableCode: ONE_CODE,
	// The gate is told before the database is, and once more afterwards.
	enableCode: { ...ONE_CODE, gate: 3, gateDatabase: 2, rowsRead: 8 },
	earnings: { ...NOTHING, database: 1, rowsRead: 2 },
	rotateKeys: { ...NOTHING, gate: 2, gateDatabase: 2, rowsRead: 11, rowsWritten: 6 },
	createKey: { ...NOTHING, gate: 2, database: 1, gateDatabase: 1, rowsRead: 12, rowsWritten: 9 },
	listKeys: { ...NOTHING, gate: 2, database: 1, rowsRead: 2 },
	revokeKey: { ...NOTHING, gate: 2, database: 2, rowsRead: 6, rowsWritten: 6 },
	createEndpoint: { ...NOTHING, database: 1, rowsRead: 9, rowsWritten: 9 },
	listEndpoints: { ...NOTHING, database: 1, rowsRead: 4 },
	changeEndpoint: { ...NOTHING, database: 1, rowsRead: 8, rowsWritten: 6 },
	deleteEndpoint: { ...NOTHING, database: 1, rowsRead: 8, rowsWritten: 6 },
	testWebhook: { ...NOTHING, database: 1, rowsRead: 5, rowsWritten: 9 },
	listDeliveries: { ...NOTHING, database: 2, rowsRead: 3 },
	redeliverWebhook: { ...NOTHING, database: 1, rowsRead: 7, rowsWritten: 4 },
	// On a service that is no public sandbox.
	sandboxKeys: NOTHING,
	sandboxDeposit: NOTHING,
	rates: { ...NOTHING, gate: 0 },
	floatRates: { ...NOTHING, gate: 0 },
	bestChangeRates: { ...NOTHING, gate: 0 },
	fixedFloatRates: { ...NOTHING, gate: 0 },
	plainRates: { ...NOTHING, gate: 0 },
};

/** What is counted beside calls. `objects`: requests of Durable Objects, alarms included. */
export interface Asked {
	readonly objects: number;
	readonly rowsRead: number;
	readonly rowsWritten: number;
	readonly objectRowsRead: number;
	readonly objectRowsWritten: number;
	readonly kvWrites: number;
	readonly messages: number;
	readonly bucketWrites: number;
	readonly bucketReads: number;
	readonly points: number;
	readonly lineBytes: number;
}

const NONE: Asked = {
	objects: 0,
	rowsRead: 0,
	rowsWritten: 0,
	objectRowsRead: 0,
	objectRowsWritten: 0,
	kvWrites: 0,
	messages: 0,
	bucketWrites: 0,
	bucketReads: 0,
	points: 0,
	lineBytes: 0,
};

/** Free addresses of each network when it was counted: its agent counts them row by row. */
export const COUNTED_STOCK = 200;

/** Of a service without orders. */
export const IDLE = {
	/** One poll of one network. */
	poll: { ...NONE, objects: 2, rowsRead: 12, objectRowsRead: 3, objectRowsWritten: 2 },
	/** What a poll with upkeep asks beyond that. */
	upkeep: { ...NONE, objects: 1, rowsRead: 3, objectRowsRead: COUNTED_STOCK, objectRowsWritten: 1 },
	/** RateBook, every ten seconds. */
	refresh: { ...NONE, objects: 2, rowsRead: 4, objectRowsWritten: 2, kvWrites: 2 },
	/** The cron, every minute. */
	cron: {
		...NONE,
		objects: 35,
		rowsRead: 140,
		rowsWritten: 13,
		objectRowsRead: 2_400,
		objectRowsWritten: 13,
		points: 40,
	},
} as const;

/** Of one order beside the calls about it. */
export const ORDER = {
	/** From its deposit until the payout is final and three webhooks are delivered. */
	swap: {
		...NONE,
		objects: 15,
		rowsRead: 310,
		rowsWritten: 122,
		objectRowsRead: 16,
		objectRowsWritten: 22,
		messages: 3,
		points: 4,
	},
	/** Emptying its pay-in address into the hot wallet, where its network needs that; a token's address needs gas first. */
	sweep: { ...NONE, objects: 1, rowsRead: 290, rowsWritten: 25, objectRowsRead: 27, objectRowsWritten: 5 },
	/** Moving it to R2, and removing its webhooks. */
	archive: { ...NONE, rowsRead: 550, rowsWritten: 53, lineBytes: 1 },
} as const;

/** A nonce of a gate is written, and deleted when it has expired. */
export const GATE_ROWS_WRITTEN = 2;
/** An address is made, kept in stock and drawn: rows of the agent and of the signer's journal. */
export const ADDRESS_ROWS_WRITTEN = 4;
