/** Partners' logos in D1: the one in use, and the last one that its partner has previewed. */
import { base64 } from '@scure/base';
import { and, eq, ne, sql } from 'drizzle-orm';
import type { Db } from '../platform/d1/database.ts';
import { hashOf, logoOf } from './logo.ts';
import { partnerLogos, partners } from './table.ts';

/** The name of the logo that the row's partner shows. */
const inUse = sql`(select json_extract(${partners.orderPage}, '$.logo') from ${partners} where ${partners.id} = ${partnerLogos.partnerId})`;

/** The name under which it is kept; or why it is none, as the end of a sentence. */
export type TakenLogo = { readonly name: string } | { readonly problem: string };

/**
 * Atomic. Payers are shown it once the partner's settings name it. The one that they name stays until then, and no third is
 * kept: an earlier preview is deleted, and so is a logo whose place another one has taken.
 */
export async function takeLogo(db: Db, partnerId: string, file: Uint8Array, now: number): Promise<TakenLogo> {
	const logo = await logoOf(file);
	if ('problem' in logo) return logo;
	const { name, png } = logo;
	const isOther = and(eq(partnerLogos.partnerId, partnerId), ne(partnerLogos.name, name));
	await db.batch([
		db.delete(partnerLogos).where(and(isOther, sql`${inUse} is not ${partnerLogos.name}`)),
		db
			.insert(partnerLogos)
			.values({ partnerId, name, png: base64.encode(png), createdAt: now })
			.onConflictDoNothing(),
	]);
	return { name };
}

/** The logo of this name that payers are shown, or that is this partner's; null where there is none. */
export async function findLogo(db: Db, name: string, partnerId?: string): Promise<Uint8Array<ArrayBuffer> | null> {
	const mayBeSeen =
		partnerId === undefined ? sql`${inUse} = ${partnerLogos.name}` : eq(partnerLogos.partnerId, partnerId);
	const isShown = and(eq(partnerLogos.name, name), mayBeSeen);
	const [row] = await db.select({ png: partnerLogos.png }).from(partnerLogos).where(isShown).limit(1);
	if (!row) return null;
	// The settings are sealed, and name the image by its hash: another one in its row is not shown.
	const png = base64.decode(row.png) as Uint8Array<ArrayBuffer>;
	return name.startsWith(`${await hashOf(png)}-`) ? png : null;
}
