/**
 * The operator's decision and D1's row may differ: D1 can be set back to an earlier minute, and rows can be written by
 * others. The stricter of both holds, until a person decides again. Here is which value of a setting is the stricter
 * one. Settings that are not named make nothing safer. Pure.
 */
type Value = boolean | number | null;
type Rule = (decided: Value, found: Value) => boolean;

const MOST = Number.POSITIVE_INFINITY;
/** Each says whether what was found is looser than what was decided. */
const onIsStricter: Rule = (decided, found) => decided === true && found === false;
const offIsStricter: Rule = (decided, found) => decided === false && found === true;
const lowIsStricter: Rule = (decided, found) => Number(found ?? MOST) > Number(decided ?? MOST);
const highIsStricter: Rule = (decided, found) => Number(found ?? 0) < Number(decided ?? 0);

const RULES = {
	site: {
		maintenance: onIsStricter,
		dailyCapUsd: lowIsStricter,
		unpaidShareBps: lowIsStricter,
		showsSecrets: offIsStricter,
		askedRefundUsd: lowIsStricter,
		provesSolvency: offIsStricter,
		provesMonero: offIsStricter,
	},
	network: {
		send: offIsStricter,
		receive: offIsStricter,
		confirmations: highIsStricter,
		aboveUsd: lowIsStricter,
		confirmationsAbove: highIsStricter,
	},
	asset: {
		active: offIsStricter,
		beyondReserve: offIsStricter,
		surchargeBps: lowIsStricter,
		discountBps: lowIsStricter,
	},
	pair: { active: offIsStricter, minUsd: highIsStricter, maxUsd: lowIsStricter },
	partner: { enabled: offIsStricter, requireTimestamp: onIsStricter },
} as const satisfies Record<string, Readonly<Record<string, Rule>>>;

export type DecidedTable = keyof typeof RULES;
export type Fields = Readonly<Record<string, Value>>;

/** A person's values in one row. `name`: of the network, asset, pair (`FROM>TO`) or partner; `site` of the only one. */
export interface Decided {
	readonly table: DecidedTable;
	readonly name: string;
	readonly fields: Fields;
}

const rulesOf = (table: DecidedTable): Readonly<Record<string, Rule>> => RULES[table];

/** Those of the fields that the rules know and that are set. */
export function ruledFields(table: DecidedTable, fields: Readonly<Record<string, unknown>>): Fields {
	const known = Object.keys(rulesOf(table)).filter((name) => fields[name] !== undefined);
	return Object.fromEntries(known.map((name) => [name, fields[name] as Value]));
}

/** The decided fields for which `found` has a looser value. */
export function looserFields({ table, fields }: Decided, found: Readonly<Record<string, unknown>>): Fields {
	const rules = rulesOf(table);
	const looser = Object.entries(fields).filter(([name, value]) => rules[name]?.(value, (found[name] ?? null) as Value));
	return withBothBounds(fields, found, Object.fromEntries(looser));
}

/** A minimum of one time and a maximum of another may exclude each other: then both are as they were decided. */
function withBothBounds(decided: Fields, found: Readonly<Record<string, unknown>>, looser: Fields): Fields {
	const { minUsd, maxUsd } = { ...found, ...looser } as Fields;
	if (typeof minUsd !== 'number' || typeof maxUsd !== 'number' || minUsd <= maxUsd) return looser;
	return { ...looser, minUsd: decided['minUsd'] ?? null, maxUsd: decided['maxUsd'] ?? null };
}
