#pragma once
// The measurements behind registry.cc, a file a paper. Each makes tables and plots from what the workbench has
// measured. Rows of a GPU are left out where there is none.
#include "tools/papers/experiment.h"
#include "tools/papers/experiments/workbench.h"

namespace frond::tools::papers {

// ding.cc
Result<Exhibit> ding_table_1(Workbench& bench);
Result<Exhibit> ding_table_2(Workbench& bench);
Result<Exhibit> ding_table_3(Workbench& bench);
Result<Exhibit> ding_figure_3(Workbench& bench);
Result<Exhibit> ding_figure_4(Workbench& bench);
Result<Exhibit> ding_figure_6(Workbench& bench);
Result<Exhibit> ding_figure_7(Workbench& bench);
// mallia.cc
Result<Exhibit> mallia_table_1(Workbench& bench);
Result<Exhibit> mallia_table_2(Workbench& bench);
Result<Exhibit> mallia_table_3(Workbench& bench);
Result<Exhibit> mallia_table_4(Workbench& bench);
Result<Exhibit> mallia_figure_3(Workbench& bench);
// ao.cc
Result<Exhibit> ao_table_1(Workbench& bench);
Result<Exhibit> ao_table_2(Workbench& bench);
Result<Exhibit> ao_table_3(Workbench& bench);
Result<Exhibit> ao_table_7(Workbench& bench);
Result<Exhibit> ao_figure_5(Workbench& bench);
Result<Exhibit> ao_figure_6(Workbench& bench);
Result<Exhibit> ao_figure_7(Workbench& bench);
Result<Exhibit> ao_figure_8(Workbench& bench);
Result<Exhibit> ao_figure_9(Workbench& bench);
// wei.cc
Result<Exhibit> wei_figure_10(Workbench& bench);
Result<Exhibit> wei_figure_11(Workbench& bench);
Result<Exhibit> wei_table_4(Workbench& bench);
Result<Exhibit> wei_table_5(Workbench& bench);
Result<Exhibit> wei_table_6(Workbench& bench);
Result<Exhibit> wei_table_7(Workbench& bench);

}  // namespace frond::tools::papers
