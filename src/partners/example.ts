/** The reference code of the reference's examples. Pure data. */

export const EXAMPLE_CODE = {
	id: '3b6b1c56-7a53-4d0c-9df8-2c6e9a0f4b77',
	code: 'newsletter',
	label: 'Newsletter, autumn',
	afftaxBps: 75,
	enabled: true,
	createdAt: '2026-11-20T12:00:00.000Z',
};
