/** A QR image as SVG: 240 px wide or more, on white also in the dark, with its quiet zone. */
import QRCode from 'qrcode-svg';

/** Modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
	const { qrcode } = new QRCode({ content: text, ecl: 'M' });
	const count = qrcode.getModuleCount();
	const side = count + 2 * QUIET_ZONE;
	const rows = Array.from({ length: count }, (_, row) => runsOf(row, (column) => qrcode.isDark(row, column), count));
	return (
		<div class="qr">
			<svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} shape-rendering="crispEdges">
				<path fill="#000" d={rows.join('')} />
			</svg>
		</div>
	);
}

/** The dark runs of one row, one module high. */
function runsOf(row: number, isDark: (column: number) => boolean, count: number): string {
	let path = '';
	for (let column = 0; column < count; column++) {
		if (!isDark(column)) continue;
		const start = column;
		while (column < count && isDark(column)) column++;
		path += `M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${column - start}v1H${start + QUIET_ZONE}z`;
	}
	return path;
}
