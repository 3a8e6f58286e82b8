/** Where objects are created. */
import { expect, it } from 'vitest';
import { objectNamed, objectOf } from '../../src/platform/region.ts';

/** What the platform would be asked for. */
const namespace = {
	get: (...asked: unknown[]) => asked,
	getByName: (...asked: unknown[]) => asked,
} as unknown as DurableObjectNamespace;
const ID = {} as DurableObjectId;

it('asks for an object in the region that is set', () => {
	expect(objectNamed({ REGION: 'weur' }, namespace, 'book')).toEqual(['book', { locationHint: 'weur' }]);
	expect(objectOf({ REGION: 'oc' }, namespace, ID)).toEqual([ID, { locationHint: 'oc' }]);
	expect(objectNamed({ REGION: 'apac-ne' }, namespace, 'book')).toEqual(['book', { locationHint: 'apac-ne' }]);
});

it.each([undefined, '', 'mars'])('leaves the place to the platform where the region is %j', (REGION) => {
	expect(objectNamed({ REGION }, namespace, 'book')).toEqual(['book', undefined]);
	expect(objectOf({ REGION }, namespace, ID)).toEqual([ID, undefined]);
});
