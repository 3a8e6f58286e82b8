// On a phone the links of the console and the cabinet scroll sideways: the marked one is in sight.
document.querySelector('.top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
