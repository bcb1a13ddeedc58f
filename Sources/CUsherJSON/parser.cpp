#include "CUsherJSON.h"
