/**
 * `npm run screenshots -- [FOLDER]`: what every page looks like, on a desk, on a phone and in the dark. Someone looks at
 * them before a change of a page is done (book: contributing, "Add a page").
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, DARK, DESKTOP, openPage, PHONE } from '../support/browser.ts';
import { SHOTS } from './shots.ts';

const [folder = '.screenshots'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const LOOKS = { desk: DESKTOP, phone: PHONE, dark: { ...DESKTOP, ...DARK } };
let drawn = 0;
for (const [group, start] of Object.entries(SHOTS)) {
	const { pages, stop } = await start();
	for (const { name, url, options } of pages) {
		for (const [look, how] of Object.entries(LOOKS)) {
			const { page, close } = await openPage(url, { ...how, ...options });
			await page.screenshot({ path: join(folder, `${group}-${name}-${look}.png`), fullPage: true });
			await close();
			drawn += 1;
		}
	}
	await stop();
}
await closeBrowser();
console.log(`${drawn} pictures in ${folder}`);
