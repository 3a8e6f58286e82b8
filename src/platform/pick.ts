/** Some fields of a record, under their own names. Pure. */
import { isoTime } from './time.ts';

export const pick = <From extends object, Name extends keyof From>(from: From, ...names: Name[]): Pick<From, Name> =>
	Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;

type Times<From, Name extends keyof From> = { [One in Name]: null extends From[One] ? string | null : string };

/** Unix milliseconds as ISO 8601; what is null stays null. */
export function isoTimesOf<Name extends string, From extends { readonly [One in Name]: number | null }>(
	from: From,
	...names: Name[]
): Times<From, Name> {
	const times = names.map((name) => [name, from[name] === null ? null : isoTime(from[name])]);
	return Object.fromEntries(times) as Times<From, Name>;
}
