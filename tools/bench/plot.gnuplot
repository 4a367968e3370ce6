# A chart of Frond's measurements: gnuplot runs this in its folder. tools/bench/plot.cc fills it in.
set terminal svg noenhanced size 760,460 background "white" font "sans-serif,12"
set output @svg@
set title @title@
set xlabel @x_title@
set ylabel @y_title@
set grid linecolor "#dddddd"
set key outside bottom center horizontal
# The colours of Okabe and Ito (2008), which people with impaired colour vision can tell apart.
set linetype 1 linecolor "#0072b2" linewidth 2 pointtype 7 pointsize 0.6
set linetype 2 linecolor "#d55e00" linewidth 2 pointtype 7 pointsize 0.6
set linetype 3 linecolor "#009e73" linewidth 2 pointtype 7 pointsize 0.6
set linetype 4 linecolor "#aa4499" linewidth 2 pointtype 7 pointsize 0.6
set linetype 5 linecolor "#b8860b" linewidth 2 pointtype 7 pointsize 0.6
set linetype 6 linecolor "#56b4e9" linewidth 2 pointtype 7 pointsize 0.6
set linetype 7 linecolor "#882255" linewidth 2 pointtype 7 pointsize 0.6
set linetype 8 linecolor "#666666" linewidth 2 pointtype 7 pointsize 0.6
@axes@
$data << END
@data@END
plot @curves@
