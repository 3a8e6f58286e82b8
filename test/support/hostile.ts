/**
 * Wrong request bodies, made from right ones and from the schema that the OpenAPI document shows: each is one mistake,
 * or one attack, with a name. Pure; fast-check has a fixed seed, so that a failure can be repeated.
 */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

export interface HostileBody {
	readonly name: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

const SEED = 20_261_120;

/** How much is made for one operation. */
export interface Extent {
	/** Bodies by fast-check, in addition to every wrong value of every field. */
	readonly drawn: number;
	/** Which of them are drawn; the same number draws the same. */
	readonly seed?: number;
	/** The wrong values that a field meets; without it all of them. */
	readonly valuesOf?: (field: string) => readonly string[];
}

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}${close.repeat(depth)}`;

/** JSON texts to put in place of a value. None is an address, an asset, or an amount that create accepts. */
export const VALUES: readonly string[] = [
	'null',
	'true',
	'false',
	'[]',
	'{}',
	'[[]]',
	'[null]',
	'["float"]',
	'["apiSecret",null]',
	'["apiSecret","x"]',
	'""',
	'" "',
	String.raw`"\u0000"`,
	String.raw`"float\u0000"`,
	String.raw`"\ud800"`,
	String.raw`"\udc00\ud800"`,
	String.raw`"\ufeff"`,
	'"\u202ePTL"',
	'"👩‍👩‍👧‍👦"',
	'"ＬＴＣ"',
	'"İ"',
	'"e\u0301"',
	String.raw`"\u007f\u0085\u2028"`,
	'"__proto__"',
	'"constructor"',
	'"toString"',
	'"hasOwnProperty"',
	'"prototype"',
	'"then"',
	'"undefined"',
	`"' OR 1=1 --"`,
	`"'); DROP TABLE orders;--"`,
	'"<script>alert(1)</script>"',
	'"../../../../etc/passwd"',
	'"$(id)"',
	'"%00%0d%0a"',
	String.raw`"a\r\nX-Injected: 1"`,
	'"{{7*7}}"',
	'"*?[a-z]"',
	'"%_%_%"',
	'0',
	'-0',
	'-1',
	'-2.5',
	'1e400',
	'-1e400',
	'1e-400',
	'9007199254740993',
	'1e308',
	'5e-324',
	'0e0',
	'9'.repeat(40),
	`0.${'0'.repeat(40)}1`,
	`1${'0'.repeat(400)}`,
	'2001',
	'4294967296',
	'0.5e-9',
	'"NaN"',
	'"Infinity"',
	'"-1"',
	'"+2"',
	'"0x10"',
	'"1e400"',
	'"2,0"',
	'"２"',
	'"2 "',
	'"0"',
	'"-0"',
	'"2."',
	'".2"',
	`"${'9'.repeat(40)}"`,
	`"${'x'.repeat(43)}"`,
	`"${'A'.repeat(200)}"`,
	`"${'x'.repeat(15_000)}"`,
	'{"__proto__":{"enabled":true}}',
	'{"constructor":{"prototype":{}}}',
	'{"$ne":null}',
	'{"toString":"x"}',
	'{"length":3}',
	'{"text":"2"}',
	'{"value":"2"}',
	`[${'0,'.repeat(5000)}0]`,
	nested(3000, '[', ']'),
	nested(1500, '{"a":[', ']}'),
	'["apiSecret","webhookSecret","__proto__"]',
	'"00000000-0000-0000-0000-000000000000"',
	// From here on no JSON at all.
	'',
	'NaN',
	'Infinity',
	'undefined',
	"'float'",
	'01',
	'1.',
	'.5',
	'+1',
	'0x10',
	'1_000',
	'1n',
	'"a',
	String.raw`"\x41"`,
	String.raw`"\u12"`,
	'"a\nb"',
	'"a\u0000b"',
	'[1,]',
	'{"a":1,}',
	'tru',
	'new Date()',
	'[',
	'}',
	'//',
	'/**/1,',
];

type Fields = readonly (readonly [name: string, json: string])[];

const text = (fields: Fields): string =>
	`{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

const fieldsOf = (base: object): Fields => Object.entries(base).map(([name, value]) => [name, JSON.stringify(value)]);

/** Each field of the schema with each wrong value, the other fields correct. */
function spoiltFields(
	base: object,
	names: readonly string[],
	valuesOf: (field: string) => readonly string[],
): (readonly [name: string, json: string])[] {
	const all = fieldsOf(base);
	return names.flatMap((name) => {
		const others = all.filter(([other]) => other !== name);
		const own = all.find(([other]) => other === name)?.[1] ?? '"x"';
		const renamed = [name.toUpperCase(), ` ${name}`, `${name}\0`, `${name}[]`, `\ufeff${name}`, '__proto__', ''];
		return [
			...valuesOf(name).map((value) => [`${name} is ${value}`, text([...others, [name, value]])] as const),
			[`${name} is left out`, text(others)] as const,
			...renamed.map((other) => [`${name} is called ${other}`, text([...others, [other, own]])] as const),
			[`${name} again, wrong`, text([...all, [name, '{}']])] as const,
			[`${name} again, right`, text([[name, '{}'], ...all])] as const,
			[`${name} inside __proto__`, text([...others, ['__proto__', text([[name, own]])]])] as const,
			[`${name} in a list`, text([...others, [name, `[${own}]`]])] as const,
			[`${name} as text of itself`, text([...others, [name, JSON.stringify(own)]])] as const,
		];
	});
}

/** The whole body in forms that are not JSON, not UTF-8, or not an object. */
function spoiltBodies(json: string): HostileBody[] {
	const latin = (characters: string) => Buffer.from(characters, 'latin1');
	const utf16 = Buffer.from(json, 'utf16le');
	const texts = [
		' ',
		'null',
		'true',
		'0',
		'-',
		'""',
		'[]',
		'[[',
		'{',
		'}',
		'{}',
		'{}{}',
		'{"a":1',
		'{,}',
		'{"":""}',
		'{a:1}',
		`[${json}]`,
		JSON.stringify(json),
		`${json}${json}`,
		`${json}x`,
		`${json}\n{}`,
		`${json}\0`,
		`\0${json}`,
		`\ufeff${json}`,
		`/* */${json}`,
		`${json}// `,
		`${json};`,
		`(${json})`,
		`)]}',\n${json}`,
		`data: ${json}\n\n`,
		json.replaceAll('"', "'"),
		json.replace(/}$/, ',}'),
		json.slice(0, -1),
		json.slice(json.length / 2),
		`\u00a0${json}`,
		`${json}\u2028`,
		`\v${json}`,
		`\r\n\t ${json} \t\r\n`,
		`${json}${' '.repeat(16_384)}`,
		nested(10_000, '[', ''),
		nested(8000, '[', ']'),
		nested(2700, '{"a":', ''),
		`${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}`,
		'type=float&amount=2',
		'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
		'--x\r\nContent-Disposition: form-data; name="type"\r\n\r\nfloat\r\n--x--',
		`"${'x'.repeat(1_000_000)}"`,
		`{"__proto__":${json}}`,
		`{"constructor":{"prototype":${json}}}`,
	];
	const encoded: readonly (readonly [string, Buffer])[] = [
		['zero bytes', Buffer.alloc(0)],
		['a thousand NULs', Buffer.alloc(1000)],
		['UTF-16LE', utf16],
		['UTF-16LE with BOM', Buffer.concat([latin('\xff\xfe'), utf16])],
		['UTF-16BE', Buffer.from(utf16).swap16()],
		['UTF-32LE', Buffer.concat([...json].map((character) => latin(`${character}\0\0\0`)))],
		['gzip', gzipSync(json)],
		['one megabyte of spaces', Buffer.concat([Buffer.from(json), Buffer.alloc(1_000_000, ' ')])],
		...['\xff', '\xc0\xaf', '\xed\xa0\x80', '\xe2\x82', '\xf4\x90\x80\x80', '\x80', '\xfe\xff'].flatMap(
			(bytes) =>
				[
					[`invalid UTF-8 before, ${Buffer.from(bytes, 'latin1').toString('hex')}`, latin(bytes + json)],
					[`invalid UTF-8 in a text, ${Buffer.from(bytes, 'latin1').toString('hex')}`, latin(`{"${bytes}":1}`)],
					[`invalid UTF-8 at the end, ${Buffer.from(bytes, 'latin1').toString('hex')}`, latin(json + bytes)],
				] as const,
		),
	];
	return [
		...texts.map((body) => ({ name: `body ${body.slice(0, 60)}`, bytes: new Uint8Array(Buffer.from(body)) })),
		...encoded.map(([name, bytes]) => ({ name, bytes: new Uint8Array(bytes) })),
	];
}

/** Random mistakes: several wrong fields at once, any JSON at all, and changed bytes. */
function drawnBodies(base: object, names: readonly string[], numRuns: number, seed: number): HostileBody[] {
	const json = Buffer.from(JSON.stringify(base));
	const field = fc.tuple(fc.constantFrom(...names, '__proto__', 'x'), fc.oneof(fc.constantFrom(...VALUES), fc.json()));
	const several = fc.array(field, { minLength: 1, maxLength: 6 }).map((more) => text([...fieldsOf(base), ...more]));
	const edit = fc.tuple(fc.nat(json.length), fc.nat(4), fc.uint8Array({ maxLength: 4 }));
	const edited = fc
		.array(edit, { minLength: 1, maxLength: 3 })
		.map((edits) =>
			edits.reduce(
				(bytes, [at, cut, put]) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
				json,
			),
		);
	const bodies = fc.oneof(several, fc.json({ maxDepth: 6 }), edited, fc.uint8Array({ maxLength: 300 }));
	return fc.sample(bodies, { seed, numRuns }).map((body, i) => {
		const bytes = new Uint8Array(Buffer.from(body as Buffer));
		return { name: `drawn ${i}: ${Buffer.from(bytes).toString('latin1').slice(0, 300)}`, bytes };
	});
}

/** `base`: a right body. `names`: all fields that may be in it. */
export function hostileBodies(
	base: object,
	names: readonly string[],
	{ drawn, seed = SEED, valuesOf = () => VALUES }: Extent,
): HostileBody[] {
	const spoilt = spoiltFields(base, names, valuesOf);
	return [
		...spoilt.map(([name, json]) => ({ name, bytes: new Uint8Array(Buffer.from(json)) })),
		...spoiltBodies(JSON.stringify(base)),
		...drawnBodies(base, names, drawn, seed),
	];
}

/** Only random bodies. */
export const hostileDraws = (base: object, names: readonly string[], drawn: number, seed: number): HostileBody[] =>
	drawnBodies(base, names, drawn, seed);
