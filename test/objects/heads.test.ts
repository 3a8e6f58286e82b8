/** The heads that the signer signs of chains that others keep: each goes on from the last one of its kind. */
import { expect, it } from 'vitest';
import type { NewHead } from '../../src/ports/heads.ts';
import { Heads } from '../../src/signer/journal/heads.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { bareObject } from './bindings.ts';

const KEYS = promiseKeysOf({ DEPLOYMENT: 'heads' }, new Uint8Array(64).fill(7));
const digest = (letter: string) => letter.repeat(64);
const head = (position: number, letter: string, more: Partial<NewHead> = {}): NewHead => ({
	kind: 'history',
	position,
	digest: digest(letter),
	since: null,
	kept: null,
	...more,
});
const at = (position: number, letter: string) => ({ position, digest: digest(letter) });

it('a head is signed that goes on from the last one of its kind, and none that goes back, unless a person says why', () =>
	bareObject('heads').run(({ storage }) => {
		new Journal(storage);
		const heads = new Heads(storage);
		const sign = (asked: NewHead, time: number) => {
			const answer = heads.sign(KEYS, asked, time);
			return 'signed' in answer ? JSON.parse(answer.signed.statement) : answer.refused?.position;
		};
		expect(sign(head(5, 'a'), 100)).toEqual({
			at: 100,
			digest: digest('a'),
			kind: 'history',
			position: 5,
			previous: '',
			type: 'partner-exchange/head/1',
		});
		expect(sign(head(9, 'b'), 101)).toBe(5);
		expect(sign(head(9, 'b', { since: at(5, 'c') }), 101)).toBe(5);
		expect(sign(head(5, 'b', { since: at(5, 'a') }), 101)).toBe(5);
		expect(sign(head(9, 'b', { since: at(5, 'a') }), 99)).toBe(5);
		expect(sign(head(9, 'b', { since: at(5, 'a') }), 101)).toMatchObject({ position: 9 });
		expect(sign(head(9, 'b', { since: at(9, 'b') }), 102)).toMatchObject({ position: 9, at: 102 });
		expect(sign(head(1, 'e', { kind: 'solvency' }), 102)).toMatchObject({ position: 1, previous: '' });
		expect(sign(head(3, 'd', { since: at(9, 'b') }), 103)).toBe(9);
		expect(sign(head(3, 'd', { since: at(9, 'b'), kept: 2 }), 103)).toMatchObject({ position: 3, kept: 2 });
		expect(heads.after('history', null).map(({ position }) => position)).toEqual([3]);
		expect(heads.after('history', 0).map(({ position }) => position)).toEqual([5, 9, 9, 3]);
		expect(heads.mark('history', [at(3, 'd'), at(4, 'f')])).toBeNull();
		expect(heads.mark('history', [at(2, 'b'), at(3, 'd')])).toEqual(at(4, 'f'));
		expect(heads.mark('history', [at(4, 'e'), at(5, 'a')])).toEqual(at(4, 'f'));
		expect(heads.mark('history', [at(4, 'f'), at(5, 'a'), at(6, 'b')])).toBeNull();
		expect(heads.mark('history', [])).toEqual(at(6, 'b'));
		expect(() => heads.sign(KEYS, head(-1, 'a'), 104)).toThrow(TypeError);
		expect(() => heads.sign(KEYS, head(10, 'A'), 104)).toThrow(TypeError);
	}));
