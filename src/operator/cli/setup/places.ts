/**
 * One answer decides where the database and the Durable Objects are. D1 knows fewer places than objects do, so three
 * answers take the nearest that it has. Pure.
 */
import type { Region } from '../../../platform/region.ts';

export interface Place {
	/** As D1's API takes it at creation. It cannot be changed later. */
	readonly database: { readonly primary_location_hint: string } | { readonly jurisdiction: string };
	readonly region: Region;
	readonly about: string;
}

const place = (region: Region, about: string, location: string = region): Place => ({
	database: { primary_location_hint: location },
	region,
	about,
});

const PLACES: Readonly<Record<string, Place>> = {
	weur: place('weur', 'Western Europe'),
	eeur: place('eeur', 'Eastern Europe'),
	enam: place('enam', 'Eastern North America'),
	wnam: place('wnam', 'Western North America'),
	apac: place('apac', 'Asia-Pacific'),
	'apac-ne': place('apac-ne', 'North-East Asia; the database in Asia-Pacific', 'apac'),
	'apac-se': place('apac-se', 'South-East Asia; the database in Asia-Pacific', 'apac'),
	oc: place('oc', 'Oceania'),
	sam: place('sam', 'South America; the database in Eastern North America', 'enam'),
	afr: place('afr', 'Africa; the database in Western Europe', 'weur'),
	me: place('me', 'Middle East; the database in Eastern Europe', 'eeur'),
	eu: {
		database: { jurisdiction: 'eu' },
		region: 'weur',
		about: 'the European Union: the database by a guarantee of the platform, the objects by a hint alone',
	},
};

export const placeNamed = (name: string): Place | null => PLACES[name.toLowerCase()] ?? null;

export const placeList = (): string =>
	Object.entries(PLACES)
		.map(([name, { about }]) => `  ${name.padEnd(7)} ${about}`)
		.join('\n');

export const noPlace = (name: string): string =>
	`${name || 'An empty answer'} is no place; the places are ${Object.keys(PLACES).join(', ')}.`;
