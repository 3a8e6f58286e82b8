/** The partner whose payers read a page: their logo or name in its head, and their colour. */
import type { Brand as PartnerBrand } from '../../ports/widget.ts';
import { shownPlain } from './plain.ts';

export type Brand = Pick<PartnerBrand, 'name' | 'logo' | 'accent'>;

/** The name of the site in a window's title. */
export const siteName = (brand: Brand | null): string =>
	brand?.name == null ? 'Partner Exchange' : shownPlain(brand.name);

export const isBranded = (brand: Brand | null): boolean => Boolean(brand?.name || brand?.logo);

/** In the head of a page: the logo, or the name. Null where the partner set neither. */
export function BrandHead({
	name,
	logo,
	logoPath = logo && `/brand/${logo}.png`,
}: Brand & { readonly logoPath?: string | null }) {
	if (logo === null && name === null) return null;
	return (
		<p class="brand">
			{logo && logoPath && <img src={logoPath} {...sizeOfLogo(logo)} alt={name === null ? '' : shownPlain(name)} />}
			{!logo && name !== null && <bdi>{shownPlain(name)}</bdi>}
		</p>
	);
}

/** Behind the hash and the hyphen of a logo's name. */
const SIZE_AT = 65;

function sizeOfLogo(name: string): { readonly width: number; readonly height: number } {
	const [width = 0, height = 0] = name.slice(SIZE_AT).split('x').map(Number);
	return { width, height };
}

/** The stylesheet of a colour, and the class of what has it: a page may have no style of its own. */
export const AccentStyle = ({ accent }: Pick<Brand, 'accent'>) =>
	accent ? <link rel="stylesheet" href={`/brand/${accent.slice(1)}.css`} /> : null;
